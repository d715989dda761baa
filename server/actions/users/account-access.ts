// Administrators who could sign in to an account: they created it, set its password or address, or read its API key.
// They cannot hand transfers over to it (docs/adr/0106).
import type { Query, Tx } from '../../db/schema/schema.ts';
import { type AccountAccess, listAccountAccess, noteAccountAccess } from '../../db/users/account-access.ts';
import { findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { isAdministrator, rankOf } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';

export const accessMs = 24 * 3_600_000;

/** Call when the caller could sign in to this account. */
export async function recordAccess(ctx: Ctx, tx: Tx, caller: UserCaller, userId: string): Promise<void> {
  // The operator has no account.
  if (caller.userId === userId || caller.userId === '' || !isAdministrator(caller)) return;
  await noteAccountAccess(tx, { userId, givenBy: caller.userId, now: ctx.clock.now() });
}

/** Lists administrators who rank no higher than the caller. */
export async function listWithAccess(ctx: Ctx, db: Query, caller: UserCaller, user: User): Promise<AccountAccess[]> {
  const since = user.mustChangePassword ? 0 : ctx.clock.now() - accessMs;
  const found: AccountAccess[] = [];
  for (const access of await listAccountAccess(db, user.id, since)) {
    const administrator = await findUser(db, access.id);
    if (administrator === undefined || rankOf(administrator) <= rankOf(caller)) found.push(access);
  }
  return found;
}
