// Queries on codes, proven browsers, sessions and one-time links (state machine SM8).
import type { Insertable } from 'kysely';
import type { CodesTable, Query, SessionsTable, Tx } from './schema.ts';

export async function insertCode(tx: Tx, row: Insertable<CodesTable>): Promise<void> {
  await tx.insertInto('codes').values(row).execute();
}

/** How many codes were asked for lately, for one of the limits of security D12. */
export async function countCodes(
  db: Query,
  by: { column: 'address' | 'target' | 'network'; value: string; since: number },
): Promise<number> {
  const row = await db
    .selectFrom('codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(by.column, '=', by.value)
    .where('created_at', '>', by.since)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The newest code of this browser for this target that still lives. */
export function findCode(db: Query, nonceHash: Buffer, target: string, now: number) {
  return db
    .selectFrom('codes')
    .selectAll()
    .where('nonce_hash', '=', nonceHash)
    .where('target', '=', target)
    .where('state', '=', 'issued')
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Spends one try; null when none was left. The count and the bound are one statement. */
export async function takeTry(tx: Tx, id: string, most: number): Promise<number | null> {
  const row = await tx
    .updateTable('codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'issued')
    .where('tries', '<', most)
    .returning('tries')
    .executeTakeFirst();
  return row?.tries ?? null;
}

/** Uses a code: true for exactly one of any number of parallel submissions (invariant I26). */
export async function consumeCode(tx: Tx, id: string): Promise<boolean> {
  const updated = await tx
    .updateTable('codes')
    .set({ state: 'used' })
    .where('id', '=', id)
    .where('state', '=', 'issued')
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function burnCode(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('codes').set({ state: 'burned' }).where('id', '=', id).where('state', '=', 'issued').execute();
}

export async function insertProof(
  tx: Tx,
  row: { idHash: Buffer; address: string; now: number; expiresAt: number },
): Promise<void> {
  await tx
    .insertInto('proofs')
    .values({ id_hash: row.idHash, address: row.address, created_at: row.now, expires_at: row.expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['id_hash', 'address']).doUpdateSet({ created_at: row.now, expires_at: row.expiresAt }),
    )
    .execute();
}

export function listProofs(db: Query, idHash: Buffer, now: number) {
  return db
    .selectFrom('proofs')
    .select('address')
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
}

export async function insertSession(tx: Tx, row: Insertable<SessionsTable>): Promise<void> {
  await tx.insertInto('sessions').values(row).execute();
}

export function findSession(db: Query, idHash: Buffer, now: number) {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export async function touchSession(tx: Tx, idHash: Buffer, now: number): Promise<void> {
  await tx.updateTable('sessions').set({ active_at: now }).where('id_hash', '=', idHash).execute();
}

export async function deleteSession(tx: Tx, idHash: Buffer): Promise<void> {
  await tx.deleteFrom('sessions').where('id_hash', '=', idHash).execute();
}

/** Signs a person out everywhere: after a new password, a new role, or a switched-off account. */
export async function deleteSessionsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

/** Where a person is signed in, last used first. */
export function listSessionsOf(db: Query, userId: string, now: number) {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('state', '=', 'active')
    .where('expires_at', '>', now)
    .orderBy('active_at', 'desc')
    .limit(200)
    .execute();
}

/** Signs a person out everywhere but where they are; how many sessions ended. */
export async function deleteOtherSessions(tx: Tx, userId: string, keptHash: Buffer | null): Promise<number> {
  let query = tx.deleteFrom('sessions').where('user_id', '=', userId);
  if (keptHash !== null) query = query.where('id_hash', '<>', keptHash);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** One live link per account and kind: a newer one voids older ones. */
export async function replaceToken(
  tx: Tx,
  row: { idHash: Buffer; kind: 'reset' | 'invitation'; userId: string; now: number; expiresAt: number },
): Promise<void> {
  await tx
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', row.userId)
    .where('kind', '=', row.kind)
    .where('used_at', 'is', null)
    .execute();
  await tx
    .insertInto('one_time_tokens')
    .values({
      id_hash: row.idHash,
      kind: row.kind,
      user_id: row.userId,
      created_at: row.now,
      expires_at: row.expiresAt,
      used_at: null,
    })
    .execute();
}

export function findToken(db: Query, idHash: Buffer) {
  return db.selectFrom('one_time_tokens').selectAll().where('id_hash', '=', idHash).executeTakeFirst();
}

/** Uses a link: true for exactly one of any number of parallel tries. */
export async function consumeToken(tx: Tx, idHash: Buffer, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('id_hash', '=', idHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Rows that have served their time. */
export async function deleteOldProofs(tx: Tx, now: number): Promise<void> {
  const dayMs = 86_400_000;
  await tx
    .deleteFrom('codes')
    .where('expires_at', '<', now - dayMs)
    .execute();
  await tx.deleteFrom('proofs').where('expires_at', '<', now).execute();
  await tx.deleteFrom('sessions').where('expires_at', '<', now).execute();
  await tx
    .deleteFrom('one_time_tokens')
    .where('expires_at', '<', now - 30 * dayMs)
    .execute();
}
