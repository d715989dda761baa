// `waybill-server user …`: manages people without the console, under its rules.
import type { Ctx } from '../actions/context.ts';
import { rescueUser } from '../actions/identity/password-sign-in.ts';
import { listLocks } from '../actions/security/locks.ts';
import { createRecoveryLink, findByAddress, unlockUser } from '../actions/sessions/operator-links.ts';
import { changeUser, createUser, listUsers } from '../actions/users/users.ts';
import { withInstallation } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { listGroups } from '../db/groups/groups.ts';
import { operatorCaller } from '../domain/caller.ts';
import { silentLog } from '../lib/log.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { type Flags, readFlags } from './flags.ts';
import { type Terminal, terminal } from './terminal.ts';

const usage = `usage: waybill-server user list [--json]
       waybill-server user create ADDRESS [--name NAME] [--group GROUP] [--invite]
       waybill-server user reset-password ADDRESS [--without-second-step | --password-stdin]
       waybill-server user rescue ADDRESS [--without-second-step]
       waybill-server user unlock ADDRESS
       waybill-server user suspend|resume ADDRESS
       waybill-server user role ADDRESS user|auditor|administrator|system_administrator|GROUP
`;

interface Verb {
  values?: string[];
  switches?: string[];
  /** Number of arguments before the flags. */
  words: number;
  run(ctx: Ctx, words: string[], flags: Flags, io: Terminal): Promise<void>;
}

const verbs: Record<string, Verb> = {
  list: { words: 0, switches: ['--json'], run: list },
  create: { words: 1, values: ['--name', '--group'], switches: ['--invite'], run: create },
  'reset-password': { words: 1, switches: ['--without-second-step', '--password-stdin'], run: resetPassword },
  unlock: { words: 1, run: unlock },
  rescue: { words: 1, switches: ['--without-second-step'], run: rescue },
  suspend: { words: 1, run: (ctx, words, _flags, io) => switchTo(ctx, words[0]!, true, io) },
  resume: { words: 1, run: (ctx, words, _flags, io) => switchTo(ctx, words[0]!, false, io) },
  role: { words: 2, run: role },
};

export function user(args: string[]): Promise<number> {
  return manageUsers(args, terminal, async (work) => {
    const config = readConfig();
    takeSecrets();
    await withInstallation(config, silentLog, work);
  });
}

/** `within` opens the installation after the arguments were parsed. */
export async function manageUsers(
  args: string[],
  io: Terminal,
  within: (work: (ctx: Ctx) => Promise<void>) => Promise<void>,
): Promise<number> {
  const [name = '', ...rest] = args;
  const verb = Object.hasOwn(verbs, name) ? verbs[name]! : null;
  const words = rest.slice(0, verb?.words ?? 0);
  const flags = verb === null ? null : readFlags(rest.slice(verb.words), verb);
  const isUnderstood = words.length === verb?.words && words.every((word) => word !== '' && !word.startsWith('-'));
  // The two flags exclude each other.
  const isEither = name === 'reset-password' && flags?.switches.size === 2;
  if (verb === null || flags === null || !isUnderstood || isEither) {
    io.err(usage);
    return 2;
  }
  await within((ctx) => verb.run(ctx, words, flags, io));
  return 0;
}

async function list(ctx: Ctx, _words: string[], { switches }: Flags, io: Terminal): Promise<void> {
  const day = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString().slice(0, 10));
  const locked = new Set((await listLocks(ctx, operatorCaller())).flatMap(({ user }) => user?.id ?? []));
  const people = [];
  for await (const page of listUsers(ctx, operatorCaller()))
    for (const one of page)
      people.push({
        email: one.email,
        name: one.name,
        role: one.role,
        group: one.groupId,
        state: one.isInvited ? 'invited' : one.state,
        is_locked: locked.has(one.id),
        second_step: one.totpState,
        last_seen: day(one.lastSeenAt),
      });
  if (switches.has('--json')) return io.out(`${JSON.stringify(people, null, 2)}\n`);
  for (const { email, role: held, group, state, is_locked, last_seen } of people)
    io.out(
      `${email}  ${held}  ${group}  ${is_locked ? `${state}, locked` : state}  ${last_seen === null ? 'never seen' : `seen ${last_seen}`}\n`,
    );
}

async function create(ctx: Ctx, [address]: string[], { values, switches }: Flags, io: Terminal): Promise<void> {
  const isInvited = switches.has('--invite');
  const made = await createUser(ctx, operatorCaller(), {
    email: address,
    name: values.get('--name'),
    groupId: values.get('--group'),
    isInvited: isInvited ? true : undefined,
  });
  io.err(`✓ ${made.email} is in ${made.groupId}.\n`);
  if (isInvited) io.err('  An invitation is on its way by e-mail.\n');
  else await printLink(ctx, made.email, io);
}

/**
 * Prints a link to choose a password, or reads the password from a pipe: all users of the machine can read arguments.
 */
async function resetPassword(ctx: Ctx, [address]: string[], { switches }: Flags, io: Terminal): Promise<void> {
  if (switches.has('--password-stdin')) await setPassword(ctx, address!, io);
  else await printLink(ctx, address!, io, switches.has('--without-second-step'));
}

async function printLink(ctx: Ctx, address: string, io: Terminal, withoutSecondStep = false): Promise<void> {
  io.out(`${await createRecoveryLink(ctx, address, { withoutSecondStep })}\n`);
  io.err('Good for one hour and for one use. Locks of sign-in are lifted.\n');
}

async function setPassword(ctx: Ctx, address: string, io: Terminal): Promise<void> {
  const { id, email } = await findByAddress(ctx, address);
  const chosen = await io.readSecret();
  if (chosen === '')
    throw new OperatorProblem('No password came in. Pipe it in: printf %s "$PASSWORD" | waybill-server user …');
  await changeUser(ctx, operatorCaller(), id, { password: chosen });
  io.err(
    `✓ ${email} has a new password, and chooses another one at the next sign-in. Their sessions have ended, locks of sign-in are lifted.\n`,
  );
}

async function unlock(ctx: Ctx, [address]: string[], _flags: Flags, io: Terminal): Promise<void> {
  const wasLocked = await unlockUser(ctx, address!);
  io.err(wasLocked ? `✓ Sign-in of ${address} is unlocked.\n` : `✓ There was no failed sign-in of ${address}.\n`);
}

async function switchTo(ctx: Ctx, address: string, isDisabled: boolean, io: Terminal): Promise<void> {
  const { id, email } = await findByAddress(ctx, address);
  await changeUser(ctx, operatorCaller(), id, { isDisabled });
  io.err(`✓ ${email} is switched ${isDisabled ? 'off: keys, sessions and links of theirs no longer work' : 'on'}.\n`);
}

async function role(ctx: Ctx, [address, wanted]: string[], _flags: Flags, io: Terminal): Promise<void> {
  const { id, email } = await findByAddress(ctx, address!);
  const groups = await listGroups(ctx.db.read);
  const named = groups.find((group) => group.id === wanted);
  const fitting = groups.filter((group) => group.role === wanted && group.isLocal);
  const group = named ?? fitting.find((one) => one.isShipped) ?? (fitting.length === 1 ? fitting[0] : undefined);
  if (group === undefined)
    throw new OperatorProblem(
      `There is no single group for ${wanted}. Name one of: ${groups.map((one) => one.id).join(', ')}`,
    );
  await changeUser(ctx, operatorCaller(), id, { groupId: group.id });
  io.err(`✓ ${email} is in ${group.id} (${group.role}).\n`);
}

/** For an administrator whom no sign-in service lets in: a link for a password that is accepted for a day. */
async function rescue(ctx: Ctx, [address]: string[], { switches }: Flags, io: Terminal): Promise<void> {
  const { id } = await findByAddress(ctx, address!);
  const url = await createRecoveryLink(ctx, address!, { withoutSecondStep: switches.has('--without-second-step') });
  await rescueUser(ctx, id);
  io.out(`${url}\n`);
  io.err(
    'The link works for one hour and once. The chosen password is accepted for a day, even if passwords are off.\n',
  );
}
