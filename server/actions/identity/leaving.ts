// Ends the access of people whom a service disabled, and lets them back in. Only an account that a service disabled is
// enabled by it again; what an administrator decided stays.
import { findIdentity, type LinkedIdentity, noteIdentityDisabled } from '../../db/identity/identities.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { endProofsOf } from '../../db/sessions/codes.ts';
import { deleteSessionsOf } from '../../db/sessions/sessions.ts';
import { findUser, lockUser, updateUser } from '../../db/users/users.ts';
import { confirmedAddresses } from '../../domain/addresses.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { isLastAdministrator } from './placing.ts';

/** Why: `disabled` or `missing` in a directory, `inactive` or `deleted` by SCIM. */
export type LeaveReason = 'disabled' | 'missing' | 'inactive' | 'deleted';

type Leave = 'left' | 'unchanged' | 'last_administrator';

/** Ends keys, sessions, codes and running transfers in this transaction, and passkeys with them: all need an account that is
 * switched on. */
export async function disableByService(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { identity, reason }: { identity: LinkedIdentity; reason: LeaveReason },
): Promise<Leave> {
  await lockUser(tx, identity.userId);
  const user = await findUser(tx, identity.userId);
  if (user?.state !== 'active') return 'unchanged';
  if (await isLastAdministrator(tx, user)) return 'last_administrator';
  const now = ctx.clock.now();
  await updateUser(tx, user.id, { state: 'disabled' }, now);
  await noteIdentityDisabled(tx, identity.id, now);
  await deleteSessionsOf(tx, user.id);
  await endProofsOf(tx, confirmedAddresses(user), now);
  await record(ctx, tx, caller, {
    action: 'user.disabled_by_service',
    object: { kind: 'user', id: user.id },
    ownerId: user.id,
    facts: { service: identity.service, reason },
  });
  return 'left';
}

/** True if the account was enabled again. */
export async function enableAgain(ctx: Ctx, tx: Tx, caller: Caller, identity: LinkedIdentity): Promise<boolean> {
  if (identity.disabledAt === null) return false;
  await lockUser(tx, identity.userId);
  await noteIdentityDisabled(tx, identity.id, null);
  const user = await findUser(tx, identity.userId);
  if (user?.state !== 'disabled') return false;
  await updateUser(tx, user.id, { state: 'active' }, ctx.clock.now());
  await record(ctx, tx, caller, {
    action: 'user.enabled_by_service',
    object: { kind: 'user', id: user.id },
    ownerId: user.id,
    facts: { service: identity.service },
  });
  return true;
}

/** Before a sign-in: the directory may have enabled the person since the last synchronisation. */
export async function returnToAccount(
  ctx: Ctx,
  caller: Caller,
  { service, subject }: { service: string; subject: string },
): Promise<void> {
  const identity = await findIdentity(ctx.db.read, service, subject);
  if (identity === undefined || identity.disabledAt === null) return;
  await ctx.db.write((tx) => enableAgain(ctx, tx, caller, identity));
}
