// Queries on runs of backups and restore tests.
import type { BackupRun, BackupRunKind } from '../../domain/backups.ts';
import type { BackupRunsTable, LockedDb, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const runs = defineTable<BackupRunsTable>()(({ plain }) =>
  plain('kind', 'started_at', 'finished_at', 'failure', 'snapshot_id', 'files', 'bytes'),
);

export async function insertBackupRun(tx: Tx, run: BackupRun): Promise<void> {
  const row = runs.write(run);
  const { kind: _, started_at: __, ...columns } = row;
  await tx
    .insertInto('backup_runs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'started_at']).doUpdateSet(columns))
    .execute();
}

/** The last run; with `isGood` the last successful one. */
export async function findLastBackupRun(
  db: LockedDb['read'],
  kind: BackupRunKind,
  { isGood = false }: { isGood?: boolean } = {},
): Promise<BackupRun | null> {
  let query = db.selectFrom('backup_runs').selectAll().where('kind', '=', kind);
  if (isGood) query = query.where('failure', 'is', null);
  const row = await query.orderBy('started_at', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : runs.read(row);
}

export async function deleteBackupRunsBefore(tx: Tx, startedBefore: number): Promise<void> {
  await tx.deleteFrom('backup_runs').where('started_at', '<', startedBefore).execute();
}
