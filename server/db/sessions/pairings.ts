// Queries on programs that wait to be signed in through a browser.

import type { PairingsTable, Query, Tx } from '../schema/schema.ts';
import { deleteSurplusRows, rowLimits } from '../system/row-limits.ts';
import { defineTable } from '../table.ts';

const pairings = defineTable<PairingsTable>()(({ plain }) =>
  plain('token_hash', 'code_hash', 'name', 'address', 'created_at', 'expires_at'),
);

export interface Pairing {
  name: string;
  address: string;
  createdAt: number;
}

export async function insertPairing(
  tx: Tx,
  pairing: Pairing & { tokenHash: Buffer; codeHash: Buffer; expiresAt: number },
): Promise<void> {
  await tx
    .insertInto('pairings')
    .values({ ...pairings.write(pairing), state: 'waiting', user_id: null })
    .execute();
  await deleteSurplusRows(tx, rowLimits.pairings, pairing.tokenHash);
}

/** The program that shows this code, until it is confirmed or refused. */
export async function findWaitingPairing(db: Query, codeHash: Buffer, now: number): Promise<Pairing | undefined> {
  return db
    .selectFrom('pairings')
    .select(['name', 'address', 'created_at as createdAt'])
    .where('code_hash', '=', codeHash)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** True for exactly one of concurrent answers. */
export async function answerPairing(
  tx: Tx,
  answer: { codeHash: Buffer; userId: string; state: 'allowed' | 'refused'; now: number },
): Promise<boolean> {
  const updated = await tx
    .updateTable('pairings')
    .set({ state: answer.state, user_id: answer.userId })
    .where('code_hash', '=', answer.codeHash)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', answer.now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** For the program that started it; nothing once it has ended. */
export async function findPairingState(
  db: Query,
  tokenHash: Buffer,
  now: number,
): Promise<'waiting' | 'allowed' | 'refused' | 'claimed' | undefined> {
  const row = await db
    .selectFrom('pairings')
    .select('state')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.state;
}

/** The user of the new key and its name, for exactly one of concurrent calls; null for all others. */
export async function claimPairing(
  tx: Tx,
  tokenHash: Buffer,
  now: number,
): Promise<{ userId: string; name: string } | null> {
  const row = await tx
    .updateTable('pairings')
    .set({ state: 'claimed' })
    .where('token_hash', '=', tokenHash)
    .where('state', '=', 'allowed')
    .where('expires_at', '>', now)
    .returning(['user_id', 'name'])
    .executeTakeFirst();
  return row === undefined ? null : { userId: row.user_id!, name: row.name };
}

export async function deletePairingsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('pairings').where('user_id', '=', userId).execute();
}

export async function deleteOldPairings(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('pairings').where('expires_at', '<', before).execute();
}
