// The download log of all users, newest first, and sums over it. Reads no file names.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { AdminDownload, DownloadPlace } from '../../domain/download-lists.ts';
import type { DownloadsTable, Query } from '../schema/schema.ts';
import { camelRow } from '../table.ts';
import { isInReach, type Reach } from '../users/reach.ts';
import { escapeLike } from '../users/users.ts';

export interface AdminDownloadFilter extends Reach {
  ownerId: string | null;
  /** Part of an address, or '' for downloads by unknown visitors. */
  recipient: string | null;
  objectId: string | null;
  /** '' for downloads without a location. */
  countryCode: string | null;
  from: number;
  to: number;
}

/** True when nothing but the time and the owner is filtered. */
export function isWholeAdminLog({ recipient, objectId, countryCode, hiddenGroupIds }: AdminDownloadFilter): boolean {
  return recipient === null && objectId === null && countryCode === null && hiddenGroupIds.length === 0;
}

type Condition = RawBuilder<SqlBool>;

function conditionsOf(filter: AdminDownloadFilter): Condition {
  const { ownerId, recipient, objectId, countryCode } = filter;
  const conditions: Condition[] = [
    sql`granted_at >= ${filter.from}`,
    sql`granted_at < ${filter.to}`,
    sql`outcome <> 'refunded'`,
    isInReach('owner_id', filter),
  ];
  if (ownerId !== null) conditions.push(sql`owner_id = ${ownerId}`);
  if (recipient !== null) conditions.push(recipientIs(recipient));
  if (objectId !== null) conditions.push(sql`(message_id = ${objectId} or link_id = ${objectId})`);
  if (countryCode !== null) conditions.push(sql`country_code = ${countryCode}`);
  return sql.join(conditions, sql` and `);
}

function recipientIs(text: string): Condition {
  if (/^[^@]+@[^@]+$/.test(text)) return sql`recipient = ${text} and recipient <> ''`;
  return text === '' ? sql`recipient = ''` : sql`recipient like ${`%${escapeLike(text)}%`} escape '!'`;
}

export async function listAdminDownloads(
  db: Query,
  filter: AdminDownloadFilter,
  page: { before: DownloadPlace | null; limit: number },
): Promise<AdminDownload[]> {
  const { before, limit } = page;
  const isBefore: Condition =
    before === null
      ? sql`1 = 1`
      : sql`granted_at <= ${before.grantedAt} and (granted_at < ${before.grantedAt}
          or owner_id < ${before.ownerId} or (owner_id = ${before.ownerId} and number < ${before.number}))`;
  const { rows } =
    await sql<DownloadsTable>`select owner_id, number, attachment_id, message_id, link_id, recipient, outcome,
      granted_at, sent_bytes, remote_ip, country_code, country_name, city, browser, os
    from downloads where ${conditionsOf(filter)} and ${isBefore}
    order by granted_at desc, owner_id desc, number desc limit ${limit}`.execute(db);
  return rows.map(camelRow);
}

export interface DownloadSum {
  ownerId: string;
  countryCode: string;
  downloads: number;
  bytes: number;
}

/** By owner and country, for a day or less, to keep the statement short. */
export async function sumAdminDownloads(db: Query, filter: AdminDownloadFilter): Promise<DownloadSum[]> {
  const { rows } = await sql<{ owner_id: string; country_code: string; count: number; bytes: number }>`
    select owner_id, country_code, count(*) as count, sum(sent_bytes) as bytes from downloads
    where ${conditionsOf(filter)} group by owner_id, country_code`.execute(db);
  return rows.map((row) => ({
    ownerId: row.owner_id,
    countryCode: row.country_code,
    downloads: Number(row.count),
    bytes: Number(row.bytes),
  }));
}

export async function listAdminRecipients(db: Query, filter: AdminDownloadFilter): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`select distinct recipient from downloads
    where ${conditionsOf(filter)} and recipient <> ''`.execute(db);
  return rows.map((row) => row.recipient);
}
