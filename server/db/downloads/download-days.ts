// Queries on daily sums of the download log. Days are UTC, counted from 1970. The row without an owner (`allOwners`)
// marks a day as summed; owners with few downloads on a day have no row of it.
import { sql } from 'kysely';
import { type DownloadCell, type EncodedSums, quarterMs } from '../../domain/download-sums.ts';
import type { Query, Tx } from '../schema/schema.ts';
import { camelRow } from '../table.ts';
import { dayMs } from './download-figures.ts';

export const allOwners = '';

export interface SummedDay extends EncodedSums {
  day: number;
}

/** Both days included; oldest first. */
export async function listSummedDays(
  db: Query,
  ownerId: string,
  { firstDay, lastDay }: { firstDay: number; lastDay: number },
): Promise<SummedDay[]> {
  return db
    .selectFrom('download_days')
    .select(['day', 'sums', 'people'])
    .where('owner_id', '=', ownerId)
    .where('day', '>=', firstDay)
    .where('day', '<=', lastDay)
    .where('sums', '<>', '')
    .orderBy('day')
    .execute();
}

/** Days until this one that have downloads and no sums yet, oldest first. */
export async function listDaysToSum(db: Query, lastDay: number, limit: number): Promise<number[]> {
  const summed = await db
    .selectFrom('download_days')
    .select('day')
    .where('owner_id', '=', allOwners)
    .where('sums', '<>', '')
    .execute();
  const known = new Set(summed.map(({ day }) => day));
  const days: number[] = [];
  for (let from = 0; days.length < limit; ) {
    const next = await findFirstInstant(db, from);
    if (next === null) break;
    const day = Math.floor(next / dayMs);
    if (day > lastDay) break;
    if (!known.has(day)) days.push(day);
    let after = day + 1;
    while (known.has(after)) after += 1;
    from = after * dayMs;
  }
  return days;
}

async function findFirstInstant(db: Query, from: number): Promise<number | null> {
  const row = await db
    .selectFrom('downloads')
    .select('granted_at')
    .where('granted_at', '>=', from)
    .orderBy('granted_at')
    .limit(1)
    .executeTakeFirst();
  return row?.granted_at ?? null;
}

/** A later change of a download of the day removes this row, so that outdated sums are not saved. */
export async function beginDay(tx: Tx, day: number): Promise<void> {
  await forgetDays(tx, day, day);
  const row = { owner_id: allOwners, day, sums: '', people: Buffer.alloc(0) };
  await tx.insertInto('download_days').values(row).execute();
}

/** False when a download of the day has changed since `beginDay`. */
export async function saveDay(
  tx: Tx,
  day: number,
  all: EncodedSums,
  owners: Map<string, EncodedSums>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('download_days')
    .set(all)
    .where('owner_id', '=', allOwners)
    .where('day', '=', day)
    .where('sums', '=', '')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  for (const [ownerId, written] of owners)
    await tx
      .insertInto('download_days')
      .values({ owner_id: ownerId, day, ...written })
      .execute();
  return true;
}

/** Removes sums of days whose downloads have changed, both included; the job sums them again. */
export async function forgetDays(tx: Tx, firstDay: number, lastDay: number): Promise<void> {
  await tx.deleteFrom('download_days').where('day', '>=', firstDay).where('day', '<=', lastDay).execute();
}

/** Removes sums of days that were not over when a wrong clock summed them. */
export async function forgetDaysAfter(tx: Tx, day: number): Promise<void> {
  await tx.deleteFrom('download_days').where('day', '>', day).execute();
}

/** Removes everything that was counted from an erased address. */
export async function forgetAllDays(tx: Tx): Promise<void> {
  await tx.deleteFrom('download_days').execute();
}

export interface OwnedCell extends DownloadCell {
  ownerId: string;
  attachmentId: string;
}

interface Stretch {
  from: number;
  to: number;
}

/** Sums over part of a day, in the groups that the stored sums distinguish. */
export async function sumCells(db: Query, { from, to }: Stretch): Promise<OwnedCell[]> {
  const quarter = sql<number>`(granted_at % ${sql.lit(dayMs)}) / ${sql.lit(quarterMs)}`;
  const rows = await db
    .selectFrom('downloads')
    .select([
      'owner_id',
      'attachment_id',
      'country_code',
      'platform',
      quarter.as('quarter'),
      sql<number>`count(*)`.as('downloads'),
      sql<number>`sum(sent_bytes)`.as('bytes'),
      sql<number>`count(latitude)`.as('located'),
      sql<number>`coalesce(sum(latitude), 0)`.as('latitude'),
      sql<number>`coalesce(sum(longitude), 0)`.as('longitude'),
    ])
    .where('granted_at', '>=', from)
    .where('granted_at', '<', to)
    .where('outcome', '<>', 'refunded')
    .groupBy(['owner_id', 'attachment_id', 'country_code', 'platform', 'quarter'])
    .execute();
  return rows.map(camelRow);
}

export async function listOwnedRecipients(
  db: Query,
  { from, to }: Stretch,
): Promise<{ ownerId: string; address: string }[]> {
  const rows = await db
    .selectFrom('downloads')
    .select(['owner_id', 'recipient'])
    .distinct()
    .where('granted_at', '>=', from)
    .where('granted_at', '<', to)
    .where('outcome', '<>', 'refunded')
    .where('recipient', '<>', '')
    .execute();
  return rows.map((row) => ({ ownerId: row.owner_id, address: row.recipient }));
}
