// Queries on what became of backups and drills.
import type { BackupRun, BackupRunKind } from '../../domain/backups.ts';
import type { BackupRunsTable, LockedDb, Tx } from '../schema/schema.ts';

function runOf(row: BackupRunsTable): BackupRun {
  return {
    kind: row.kind,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    failure: row.failure,
    snapshotId: row.snapshot_id,
    files: row.files,
    bytes: row.bytes,
  };
}

export async function insertBackupRun(tx: Tx, run: BackupRun): Promise<void> {
  const row: BackupRunsTable = {
    kind: run.kind,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    failure: run.failure,
    snapshot_id: run.snapshotId,
    files: run.files,
    bytes: run.bytes,
  };
  const { kind: _, started_at: __, ...columns } = row;
  await tx
    .insertInto('backup_runs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'started_at']).doUpdateSet(columns))
    .execute();
}

/** The last attempt; with `isGood` the last one that went well. */
export async function findLastBackupRun(
  db: LockedDb['read'],
  kind: BackupRunKind,
  { isGood = false }: { isGood?: boolean } = {},
): Promise<BackupRun | null> {
  let query = db.selectFrom('backup_runs').selectAll().where('kind', '=', kind);
  if (isGood) query = query.where('failure', 'is', null);
  const row = await query.orderBy('started_at', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : runOf(row);
}

export async function deleteBackupRunsBefore(tx: Tx, startedBefore: number): Promise<void> {
  await tx.deleteFrom('backup_runs').where('started_at', '<', startedBefore).execute();
}
