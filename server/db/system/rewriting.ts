// Whether the file of an SQLite database has to be rewritten, because rows that were erased have left copies behind in the
// free space of pages.
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import { deleteMeta, findMeta, setMeta } from './installation.ts';

const owedKey = 'rewriting_owed_since';

export async function noteRewritingOwed(tx: Transaction<Tables>, now: number): Promise<void> {
  await setMeta(tx, owedKey, String(now));
}

/** Since when; null when nothing is owed. */
export async function findRewritingOwed(db: Kysely<Tables>): Promise<number | null> {
  const since = await findMeta(db, owedKey);
  return since === null ? null : Number(since);
}

/** Unless it was noted again after this instant. */
export async function settleRewriting(tx: Transaction<Tables>, since: number | null): Promise<void> {
  if ((await findRewritingOwed(tx)) === since) await deleteMeta(tx, owedKey);
}
