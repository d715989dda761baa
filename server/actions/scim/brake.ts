// Stops a SCIM client that disables or moves many people, until an administrator permits it.
import { findDirectorySync, permittedNote, saveDirectorySync } from '../../db/identity/directory-syncs.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { countScimLosses, countScimUsers } from '../../db/scim/scim-users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { isMassChange } from '../../domain/directory-groups.ts';
import { requireRight } from '../../domain/roles.ts';
import { ScimFault } from '../../lib/scim/fault.ts';
import type { Ctx } from '../context.ts';
import { recordScim, type ScimCaller, scimIdentity } from './scim-identity.ts';

const windowMs = 24 * 3_600_000;

/** Refused before anything has changed; `noteStop` records it in its own transaction. */
export class MassChange extends ScimFault {
  readonly people: number;

  constructor(people: number, all: number) {
    const sentence = `SCIM would disable or move ${people} of ${all} people within a day. An administrator must permit this in the console (Sign-in services).`;
    super(503, sentence, { retryAfterSeconds: 3600 });
    this.people = people;
  }
}

/** `added`: people who are not in the tables yet. */
export async function assertFewLosses(ctx: Ctx, tx: Tx, added: 0 | 1): Promise<void> {
  const now = ctx.clock.now();
  const last = await findDirectorySync(tx, scimIdentity);
  const isPermitted = last?.note === permittedNote && last.at > now - windowMs;
  if (isPermitted) return;
  const since = Math.max(now - windowMs, last?.note === permittedNote ? last.at : 0);
  const people = added + (await countScimLosses(tx, scimIdentity, since));
  const all = await countScimUsers(tx);
  if (isMassChange(people, all)) throw new MassChange(people, all);
}

export async function noteStop(ctx: Ctx, caller: ScimCaller, { people, message }: MassChange): Promise<void> {
  await ctx.db.write(async (tx) => {
    const before = await findDirectorySync(tx, scimIdentity);
    await saveDirectorySync(tx, scimIdentity, { outcome: 'stopped', note: message, at: ctx.clock.now() });
    if (before?.outcome !== 'stopped')
      await recordScim(ctx, tx, caller, { change: 'stopped', name: String(people), reason: 'mass_change' });
  });
}

/** True while a client waits for permission: it tries again at least once a day. */
export async function isStopped(ctx: Ctx): Promise<boolean> {
  const last = await findDirectorySync(ctx.db.read, scimIdentity);
  return last?.outcome === 'stopped' && last.at > ctx.clock.now() - windowMs;
}

/** For a day. */
export async function permitMassChange(ctx: Ctx, caller: UserCaller): Promise<void> {
  requireRight(caller, 'system.change');
  await ctx.db.write(async (tx) => {
    await saveDirectorySync(tx, scimIdentity, { outcome: 'done', note: permittedNote, at: ctx.clock.now() });
    await recordScim(ctx, tx, caller, { change: 'permitted', name: '' });
  });
}
