// Tests of sign-in services, which need not be saved.
import type { Query, Tx } from '../schema/schema.ts';

export interface StoredTest {
  id: string;
  /** The session or account that began it. */
  owner: string;
  /** JSON, encrypted in the table. */
  test: string;
  expiresAt: number;
}

/** Undefined after its end. */
export async function findSignInTest(db: Query, id: string, now: number): Promise<StoredTest | undefined> {
  const row = await db
    .selectFrom('sign_in_tests')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const test = db.keys.openText('sign-in-service', row.test_sealed, `test/${row.id}`);
  return { id: row.id, owner: row.owner, test, expiresAt: row.expires_at };
}

export async function insertSignInTest(tx: Tx, { id, owner, test, expiresAt }: StoredTest): Promise<void> {
  const sealed = tx.keys.sealText('sign-in-service', test, `test/${id}`);
  await tx.insertInto('sign_in_tests').values({ id, owner, test_sealed: sealed, expires_at: expiresAt }).execute();
}

export async function changeSignInTest(tx: Tx, id: string, test: string): Promise<void> {
  const sealed = tx.keys.sealText('sign-in-service', test, `test/${id}`);
  await tx.updateTable('sign_in_tests').set({ test_sealed: sealed }).where('id', '=', id).execute();
}

export async function deleteOldSignInTests(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('sign_in_tests').where('expires_at', '<=', now).execute();
}
