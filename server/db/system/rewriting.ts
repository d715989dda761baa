// Whether an SQLite file must be rewritten, because erased rows have left copies in free space of pages.
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import { deleteMeta, findMeta, setMeta } from './installation.ts';

const owedKey = 'rewriting_owed_since';

export async function noteRewritingOwed(tx: Transaction<Tables>, now: number): Promise<void> {
  await setMeta(tx, owedKey, String(now));
}

/** Since when; null if not. */
export async function findRewritingOwed(db: Kysely<Tables>): Promise<number | null> {
  const since = await findMeta(db, owedKey);
  return since === null ? null : Number(since);
}

/** Unless it was requested again after this instant. */
export async function settleRewriting(tx: Transaction<Tables>, since: number | null): Promise<void> {
  if ((await findRewritingOwed(tx)) === since) await deleteMeta(tx, owedKey);
}
