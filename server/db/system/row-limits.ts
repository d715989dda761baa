// Hard limits on tables that callers without an account can grow, also against callers with very many networks.
import { sql } from 'kysely';
import type { Tx } from '../schema/schema.ts';

interface RowLimit {
  table: string;
  key: string;
  mostRows: number;
  /** Which rows are deleted first. */
  leastUsefulFirst: string;
}

export const rowLimits = {
  // A counter that has refused an attempt outlives counters of single attempts.
  attempts: { table: 'attempts', key: 'key', mostRows: 50_000, leastUsefulFirst: 'failures, window_ends_at' },
  codes: { table: 'codes', key: 'id', mostRows: 50_000, leastUsefulFirst: 'is_unknown desc, created_at' },
  drop_keys: { table: 'drop_keys', key: 'id', mostRows: 50_000, leastUsefulFirst: 'opened_at is not null, created_at' },
  proofs: { table: 'proofs', key: 'id_hash', mostRows: 50_000, leastUsefulFirst: 'expires_at' },
  tickets: {
    table: 'tickets',
    key: 'id_hash',
    mostRows: 200_000,
    leastUsefulFirst: 'coalesce(progress_at, issued_at)',
  },
  pairings: { table: 'pairings', key: 'token_hash', mostRows: 10_000, leastUsefulFirst: 'expires_at' },
} as const satisfies Record<string, RowLimit>;

/** Deletes the least useful rows of a full table; false if it is not full. `spared` is the key of the inserted row. */
export async function deleteSurplusRows(tx: Tx, limit: RowLimit, spared: string | Buffer = ''): Promise<boolean> {
  const { mostRows } = limit;
  const [table, key] = [sql.table(limit.table), sql.ref(limit.key)];
  const { rows } = await sql`select 1 as one from ${table} limit 1 offset ${mostRows}`.execute(tx);
  if (rows.length === 0) return false;
  await sql`delete from ${table} where ${key} in (select ${key} from ${table} where ${key} <> ${spared}
    order by ${sql.raw(limit.leastUsefulFirst)} limit ${Math.ceil(mostRows / 50)})`.execute(tx);
  return true;
}
