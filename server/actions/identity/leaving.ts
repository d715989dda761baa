// Ends the access of people whom a service disabled, and lets them back in. Only an account that a service disabled is
// enabled by it again; what an administrator decided stays.
import { findIdentity, type LinkedIdentity, noteIdentityDisabled } from '../../db/identity/identities.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser, lockUser, updateUser } from '../../db/users/users.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

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
