// The last synchronisation with each directory.
import type { DirectorySyncsTable, Query, Tx } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';

const syncs = defineTable<DirectorySyncsTable>()(({ plain }) => ({
  ...plain('service', 'synced_at', 'outcome', 'note'),
}));

type DirectorySync = ValuesOf<typeof syncs>;

export async function findSync(db: Query, service: string): Promise<DirectorySync | undefined> {
  const row = await db.selectFrom('directory_syncs').selectAll().where('service', '=', service).executeTakeFirst();
  return row && syncs.read(row);
}

export async function saveSync(tx: Tx, sync: DirectorySync): Promise<void> {
  const { service: _, ...changes } = syncs.write(sync);
  await tx
    .insertInto('directory_syncs')
    .values(syncs.write(sync))
    .onConflict((conflict) => conflict.column('service').doUpdateSet(changes))
    .execute();
}
