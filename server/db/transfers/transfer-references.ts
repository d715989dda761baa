// Public references of transfers.
import { type RawBuilder, sql } from 'kysely';
import { type Param, prepared, preparedIn } from '../engine/prepared.ts';
import type { Builder, Query, Tx } from '../schema/schema.ts';

export interface NamedTransfer {
  id: string;
  reference: string;
}

const insert = prepared((tx: Builder, param: Param<NamedTransfer>) =>
  tx
    .insertInto('transfer_references')
    .values({ transfer_id: param('id'), reference: param('reference') })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Inserts nothing if the transfer has a reference, or if the reference is taken; the job then tries again. */
export async function insertReference(tx: Tx, named: NamedTransfer): Promise<void> {
  await insert(tx, named);
}

const listReferences = preparedIn((db: Builder, ids) =>
  db.selectFrom('transfer_references').select(['transfer_id as id', 'reference']).where('transfer_id', 'in', ids),
);

/** By id of the transfer; leaves out other ids, and transfers without a reference. */
export async function findReferences(db: Query, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await listReferences(db, ids);
  return new Map(rows.map(({ id, reference }) => [id, reference]));
}

export async function findReferenced(db: Query, reference: string): Promise<string | null> {
  const query = db.selectFrom('transfer_references').select('transfer_id').where('reference', '=', reference);
  return (await query.executeTakeFirst())?.transfer_id ?? null;
}

const tables = ['messages', 'file_links', 'file_requests'] as const;

const listTransferIds = preparedIn((db: Builder, ids) =>
  db
    .selectFrom('messages')
    .select('id')
    .where('id', 'in', ids)
    .unionAll(db.selectFrom('file_links').select('id').where('id', 'in', ids))
    .unionAll(db.selectFrom('file_requests').select('id').where('id', 'in', ids)),
);

export async function findTransfersAmong(db: Query, ids: readonly string[]): Promise<string[]> {
  return (await listTransferIds(db, ids)).map(({ id }) => id);
}

export interface UnnamedPlace {
  createdAt: number;
  id: string;
}

export const transferSources: readonly (typeof tables)[number][] = tables;

/** Transfers of one table without a reference, oldest first. */
export async function listUnnamed(
  db: Query,
  table: (typeof tables)[number],
  after: UnnamedPlace,
  limit: number,
): Promise<UnnamedPlace[]> {
  const name: RawBuilder<unknown> = sql.table(table);
  const { rows } = await sql<{ id: string; created_at: number }>`select t.id, t.created_at from ${name} as t
    where (t.created_at, t.id) > (${after.createdAt}, ${after.id})
      and not exists (select 1 from transfer_references as r where r.transfer_id = t.id)
    order by t.created_at, t.id limit ${limit}`.execute(db);
  return rows.map((row) => ({ createdAt: Number(row.created_at), id: row.id }));
}
