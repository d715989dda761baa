// Queries on mailed codes, and on the browsers that have proven an address with one (state machine SM8). Only keyed
// hashes are kept.
import type { Query, Tx } from './schema.ts';

/** A code that was mailed, or that looks as if it had been. */
export interface NewCode {
  id: string;
  address: string;
  target: string;
  /** Of the browser that asked for it. */
  nonceHash: Buffer;
  codeHash: Buffer;
  network: string;
  createdAt: number;
  expiresAt: number;
}

export async function insertCode(tx: Tx, code: NewCode): Promise<void> {
  await tx
    .insertInto('codes')
    .values({
      id: code.id,
      address: code.address,
      target: code.target,
      nonce_hash: code.nonceHash,
      code_hash: code.codeHash,
      tries: 0,
      state: 'issued',
      created_at: code.createdAt,
      expires_at: code.expiresAt,
      network: code.network,
    })
    .execute();
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

/** The newest code of this browser for this target that has not expired. */
export async function findCode(
  db: Query,
  asked: { nonceHash: Buffer; target: string; now: number },
): Promise<{ id: string; address: string; codeHash: Buffer } | undefined> {
  const row = await db
    .selectFrom('codes')
    .select(['id', 'address', 'code_hash'])
    .where('nonce_hash', '=', asked.nonceHash)
    .where('target', '=', asked.target)
    .where('state', '=', 'issued')
    .where('expires_at', '>', asked.now)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { id: row.id, address: row.address, codeHash: row.code_hash };
}

/** Spends one attempt; null when none was left. The count and the limit are one statement. */
export async function spendAttempt(tx: Tx, id: string, most: number): Promise<number | null> {
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
  proof: { idHash: Buffer; address: string; now: number; expiresAt: number },
): Promise<void> {
  const times = { created_at: proof.now, expires_at: proof.expiresAt };
  await tx
    .insertInto('proofs')
    .values({ id_hash: proof.idHash, address: proof.address, ...times })
    .onConflict((conflict) => conflict.columns(['id_hash', 'address']).doUpdateSet(times))
    .execute();
}

/** The addresses a browser has proven, newest first. */
export async function listProvenAddresses(db: Query, idHash: Buffer, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('proofs')
    .select('address')
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map((row) => row.address);
}

/** Codes count towards the limits for a while after they expired. */
export async function deleteOldCodes(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom('codes')
    .where('expires_at', '<', now - 86_400_000)
    .execute();
  await tx.deleteFrom('proofs').where('expires_at', '<', now).execute();
}
