// Administrators who could have signed in to an account (docs/adr/0106).
import type { Query, Tx } from '../schema/schema.ts';

export async function noteAccountAccess(
  tx: Tx,
  { userId, givenBy, now }: { userId: string; givenBy: string; now: number },
): Promise<void> {
  await tx
    .insertInto('account_access')
    .values({ user_id: userId, given_by: givenBy, given_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'given_by']).doUpdateSet({ given_at: now }))
    .execute();
}

export interface AccountAccess {
  id: string;
  at: number;
}

export async function listAccountAccess(db: Query, userId: string, since: number): Promise<AccountAccess[]> {
  const rows = await db
    .selectFrom('account_access')
    .select(['given_by', 'given_at'])
    .where('user_id', '=', userId)
    .where('given_at', '>', since)
    .orderBy('given_by')
    .execute();
  return rows.map((row) => ({ id: row.given_by, at: Number(row.given_at) }));
}
