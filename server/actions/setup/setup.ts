// The first start: shipped groups, settings, and the first System Administrator. Each step happens once, even when
// several processes try.
import { findGroup, insertGroup, listGroups } from '../../db/groups/groups.ts';
import { claimMeta, findMeta, setMeta } from '../../db/system/installation.ts';
import { lockSettings, saveSettings } from '../../db/system/settings.ts';
import { countSystemAdministrators, findUser } from '../../db/users/users.ts';
import { readOrganisationName } from '../../domain/branding.ts';
import { type Caller, systemCaller } from '../../domain/caller.ts';
import { shippedGroups } from '../../domain/groups.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { defaultSettings } from '../../domain/settings.ts';
import { assertGoodPassword, readEmail, readName } from '../../domain/users.ts';
import { sameText } from '../../lib/keyring.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { revealOwnKey } from '../api-keys/api-keys.ts';
import { requireAttempt, tryOnce } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { addUser } from '../users/new-user.ts';

export async function ensureShipped(ctx: Ctx): Promise<void> {
  if ((await listGroups(ctx.db.read)).length > 0) return;
  await ctx.db.write(async (tx) => {
    if (!(await claimMeta(tx, 'shipped_groups', 'made'))) return;
    const now = ctx.clock.now();
    for (const group of shippedGroups)
      await insertGroup(tx, {
        ...group,
        domains: [],
        matchGroups: [],
        version: 1,
        isShipped: true,
        createdAt: now,
        updatedAt: now,
      });
    await saveSettings(tx, defaultSettings, now);
  });
}

export async function isSetUp(ctx: Ctx): Promise<boolean> {
  if ((await findMeta(ctx.db.read, 'set_up')) !== null) return true;
  return (await countSystemAdministrators(ctx.db.read)) > 0;
}

/** Stores a keyed hash of the token; a newer token replaces an older one. */
export async function rememberSetupToken(ctx: Ctx, token: string): Promise<void> {
  await ctx.db.write((tx) => setMeta(tx, 'setup_token', tokenHash(ctx, token)));
}

export async function isSetupToken(ctx: Ctx, token: string): Promise<boolean> {
  const stored = await findMeta(ctx.db.read, 'setup_token');
  return stored !== null && sameText(stored, tokenHash(ctx, token));
}

function tokenHash(ctx: Ctx, token: string): string {
  return ctx.keys.hash('setup', token).toString('hex');
}

export interface FirstAdministrator {
  name: string;
  email: string;
  password: string | null;
  organisationName: string;
  apiKey?: string;
}

/** All faults of the form at once; a null token is not checked. */
export async function listSetupFaults(
  ctx: Ctx,
  caller: Caller,
  token: string | null,
  first: FirstAdministrator,
): Promise<Problem[]> {
  await assertNotSetUp(ctx);
  const { name, email, password, organisationName } = first;
  return [
    ...(token === null ? [] : await faultsOf(() => assertSetupToken(ctx, caller, token))),
    ...(await faultsOf(() => readName(name))),
    ...(await faultsOf(() => readEmail(email))),
    ...(await faultsOf(() => assertGoodPassword(password ?? '', [name, email, organisationName]))),
    ...(await faultsOf(() => readOrganisationName(organisationName, 'organisation'))),
  ];
}

async function faultsOf(check: () => unknown): Promise<Problem[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof Problem) return [error];
    throw error;
  }
}

async function assertNotSetUp(ctx: Ctx): Promise<void> {
  if (await isSetUp(ctx)) throw notFound('page', 'There’s nothing at this address.');
}

async function assertSetupToken(ctx: Ctx, caller: Caller, token: string): Promise<void> {
  const attempt = await requireAttempt(ctx, ['setupToken'], { network: networkOf(caller.from.address) });
  if (await tryOnce(ctx, attempt, () => isSetupToken(ctx, token))) return;
  throw new Problem(
    'forbidden',
    'setup.wrong_token',
    'That isn’t the setup token. It is in the file setup-token in the data folder.',
    { field: 'token' },
  );
}

/** Returns the new administrator's API key. */
export async function completeSetup(
  ctx: Ctx,
  caller: Caller,
  token: string,
  first: FirstAdministrator,
): Promise<{ apiKey: string }> {
  const [fault] = await listSetupFaults(ctx, caller, token, first);
  if (fault !== undefined) throw fault;
  return createFirstAdministrator(ctx, caller, first);
}

/** Exactly one concurrent caller succeeds. */
export async function createFirstAdministrator(
  ctx: Ctx,
  caller: Caller,
  first: FirstAdministrator,
): Promise<{ apiKey: string }> {
  const email = readEmail(first.email);
  const name = readName(first.name);
  const organisationName = readOrganisationName(first.organisationName, 'organisation');
  if (first.password !== null) assertGoodPassword(first.password, [name, email, organisationName]);
  const { passwords } = ctx.keys;
  const passwordHash =
    first.password === null ? null : await passwords.hashPassword(first.password, networkOf(caller.from.address));
  const id = await ctx.db.write(async (tx) => {
    if (!(await claimMeta(tx, 'set_up', String(ctx.clock.now()))))
      throw notFound('page', 'There’s nothing at this address.');
    const group = (await findGroup(tx, 'system-administrators'))!;
    const now = ctx.clock.now();
    await saveSettings(tx, { ...(await lockSettings(tx, now)), organisationName }, now);
    const userId = await addUser(ctx, tx, {
      email,
      name,
      group,
      passwordHash,
      isDisabled: false,
      senderAliases: [],
      recipientAliases: [],
      defaultSenderAlias: '',
      // The operator vouches for this address.
      provenAddresses: [email],
      ...(first.apiKey === undefined ? {} : { apiKey: first.apiKey }),
    });
    await record(ctx, tx, caller, {
      action: 'installation.set_up',
      object: { kind: 'user', id: userId },
      ownerId: userId,
    });
    return userId;
  });
  return { apiKey: await revealOwnKey(ctx, (await findUser(ctx.db.read, id))!) };
}

/** Does nothing once the installation is set up. */
export async function setUpFromConfig(
  ctx: Ctx,
  admin: { email: string; password: string | null; apiKey: string | null; organisationName: string | null },
): Promise<void> {
  if (await isSetUp(ctx)) return;
  try {
    await createFirstAdministrator(ctx, systemCaller, {
      name: '',
      email: admin.email,
      password: admin.password,
      organisationName: admin.organisationName ?? defaultSettings.organisationName,
      ...(admin.apiKey === null ? {} : { apiKey: admin.apiKey }),
    });
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof Problem && error.kind === 'not_found')) throw error;
  }
}
