// Queries on how much was stored on each day.
import type { Query, StorageDaysTable, Tx } from '../schema/schema.ts';
import { camelRow } from '../table.ts';

export interface StorageDay {
  /** `YYYY-MM-DD` */
  day: string;
  at: number;
  /** Files of all users. */
  keptBytes: number;
  /** Of the disk; null if the store does not report it. */
  usedBytes: number | null;
  totalBytes: number | null;
}

/** The last measurement of a day counts. */
export async function saveStorageDay(tx: Tx, day: StorageDay): Promise<void> {
  const row: StorageDaysTable = {
    day: day.day,
    at: day.at,
    kept_bytes: day.keptBytes,
    used_bytes: day.usedBytes,
    total_bytes: day.totalBytes,
  };
  const { day: _, ...columns } = row;
  await tx
    .insertInto('storage_days')
    .values(row)
    .onConflict((conflict) => conflict.column('day').doUpdateSet(columns))
    .execute();
}

export async function deleteStorageDaysBefore(tx: Tx, day: string): Promise<void> {
  await tx.deleteFrom('storage_days').where('day', '<', day).execute();
}

/** Oldest first. */
export async function listStorageDays(db: Query, firstDay: string): Promise<StorageDay[]> {
  const rows = await db.selectFrom('storage_days').selectAll().where('day', '>=', firstDay).orderBy('day').execute();
  return rows.map(camelRow);
}
