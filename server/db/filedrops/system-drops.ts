// Queries on drop pages of functions.
import { sql } from 'kysely';
import type { SystemDrop } from '../../domain/system-drops.ts';
import type { Query, SystemDropsTable, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const drops = defineTable<SystemDropsTable>()(({ plain, flags, lists, as }) => ({
  ...plain('id', 'name', 'title', 'intro', 'max_size', 'created_at', 'updated_at'),
  ...lists('receivers'),
  ...flags('confirms_sender', 'is_open'),
  permittedExtensions: as('file_types'),
}));

export async function listSystemDrops(db: Query): Promise<SystemDrop[]> {
  const rows = await db.selectFrom('system_drops').selectAll().orderBy(sql`lower(title)`).orderBy('id').execute();
  return drops.readAll(rows, db.keys);
}

export async function findSystemDrop(db: Query, by: { id: string } | { name: string }): Promise<SystemDrop | null> {
  const query = db.selectFrom('system_drops').selectAll();
  const row = await ('id' in by ? query.where('id', '=', by.id) : query.where('name', '=', by.name)).executeTakeFirst();
  return row === undefined ? null : drops.read(row, db.keys);
}

/** Locks the row, so that concurrent changes are serialised. */
export async function lockSystemDrop(tx: Tx, id: string): Promise<SystemDrop | null> {
  await tx
    .updateTable('system_drops')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .execute();
  return findSystemDrop(tx, { id });
}

export async function insertSystemDrop(tx: Tx, drop: SystemDrop): Promise<void> {
  await tx.insertInto('system_drops').values(drops.write(drop, tx.keys)).execute();
}

export async function updateSystemDrop(tx: Tx, drop: SystemDrop): Promise<void> {
  const { id, ...columns } = drops.write(drop, tx.keys);
  await tx.updateTable('system_drops').set(columns).where('id', '=', id).execute();
}

export async function deleteSystemDrop(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('system_drops').where('id', '=', id).execute();
}

export async function countDropDeliveries(
  db: Query,
  id: string,
  { since, now }: { since: number; now: number },
): Promise<number> {
  const row = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('system_drop_id', '=', id)
    .where('created_at', '>', since)
    .where('created_at', '<=', now)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function listDropDeliveries(db: Query): Promise<Map<string, { count: number; lastAt: number }>> {
  const rows = await db
    .selectFrom('messages')
    .select((eb) => [
      'system_drop_id',
      eb.fn.countAll<number>().as('count'),
      eb.fn.max<number>('created_at').as('last_at'),
    ])
    .where('system_drop_id', 'is not', null)
    .groupBy('system_drop_id')
    .execute();
  return new Map(rows.map((row) => [row.system_drop_id!, { count: Number(row.count), lastAt: Number(row.last_at) }]));
}
