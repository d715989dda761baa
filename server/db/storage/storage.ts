// Storage by group, user and age, for System Administrators. Reads no file names.
import { sql } from 'kysely';
import type { Query } from '../schema/schema.ts';

export interface StorageOf {
  id: string;
  name: string;
  people: number;
  bytes: number;
}

export interface StorageSums {
  files: number;
  bytes: number;
  /** No longer shared; erased after the grace period. */
  waitingFiles: number;
  waitingBytes: number;
  unfinishedUploads: number;
  unfinishedBytes: number;
}

/** Files that were shared and no longer are. Files that were never sent do not count. */
const isUnshared = sql<boolean>`attachments.reference_count = 0 and attachments.state <> 'erased' and attachments.source = ''
  and (exists (select 1 from message_attachments where message_attachments.attachment_id = attachments.id)
    or exists (select 1 from removed_message_files where removed_message_files.attachment_id = attachments.id)
    or exists (select 1 from file_links where file_links.attachment_id = attachments.id))`;

/** Also files that their owner has deleted and a legal hold retains. */
const isStored = sql<boolean>`(attachments.state <> 'erased' or attachments.data_key_wrapped is not null)`;

export async function sumStorage(db: Query): Promise<StorageSums> {
  const all = await db
    .selectFrom('attachments')
    .select((eb) => [eb.fn.countAll<number>().as('files'), eb.fn.sum<number | null>('size_bytes').as('bytes')])
    .where(isStored)
    .executeTakeFirstOrThrow();
  const waiting = await db
    .selectFrom('attachments')
    .select((eb) => [eb.fn.countAll<number>().as('files'), eb.fn.sum<number | null>('size_bytes').as('bytes')])
    .where('erase_after_uptime', 'is not', null)
    .where(isUnshared)
    .executeTakeFirstOrThrow();
  const uploads = await db
    .selectFrom('uploads')
    .select((eb) => [eb.fn.countAll<number>().as('files'), eb.fn.sum<number | null>('received_bytes').as('bytes')])
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return {
    files: Number(all.files),
    bytes: Number(all.bytes ?? 0),
    waitingFiles: Number(waiting.files),
    waitingBytes: Number(waiting.bytes ?? 0),
    unfinishedUploads: Number(uploads.files),
    unfinishedBytes: Number(uploads.bytes ?? 0),
  };
}

export async function listStorageOfGroups(db: Query): Promise<StorageOf[]> {
  const rows = await db
    .selectFrom('groups')
    .leftJoin('users', (join) => join.onRef('users.group_id', '=', 'groups.id').on('users.state', '<>', 'deleted'))
    .select((eb) => [
      'groups.id',
      'groups.name',
      eb.fn.count<number>('users.id').as('people'),
      eb.fn.sum<number | null>('users.stored_bytes').as('bytes'),
    ])
    .groupBy(['groups.id', 'groups.name'])
    .execute();
  return rows
    .map((row) => ({ id: row.id, name: row.name, people: Number(row.people), bytes: Number(row.bytes ?? 0) }))
    .sort((one, other) => other.bytes - one.bytes);
}

/** Those who use the most. */
export async function listStorageOfUsers(db: Query, limit: number): Promise<(StorageOf & { email: string })[]> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'stored_bytes'])
    .where('state', '<>', 'deleted')
    .where('stored_bytes', '>', 0)
    .orderBy('stored_bytes', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, name, email, stored_bytes }) => ({ id, name, email, people: 1, bytes: stored_bytes }));
}

export interface LargeFile {
  id: string;
  ownerId: string;
  ownerEmail: string;
  bytes: number;
  createdAt: number;
  isShared: boolean;
}

export async function listLargestFiles(db: Query, limit: number): Promise<LargeFile[]> {
  const rows = await db
    .selectFrom('attachments')
    .innerJoin('users', 'users.id', 'attachments.owner_id')
    .select(['attachments.id', 'owner_id', 'email', 'size_bytes', 'attachments.created_at', 'reference_count'])
    .where(isStored)
    .orderBy('size_bytes', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ownerId: row.owner_id,
    ownerEmail: row.email,
    bytes: row.size_bytes,
    createdAt: row.created_at,
    isShared: row.reference_count > 0,
  }));
}

export interface StorageOfAge {
  /** Days; null: older than all others. */
  upToDays: number | null;
  files: number;
  bytes: number;
}

export async function listStorageByAge(db: Query, limitsDays: readonly number[], now: number): Promise<StorageOfAge[]> {
  const found: StorageOfAge[] = [];
  let newerEnd = Number.MAX_SAFE_INTEGER;
  for (const days of [...limitsDays, null]) {
    const start = days === null ? 0 : now - days * 86_400_000;
    const row = await db
      .selectFrom('attachments')
      .select((eb) => [eb.fn.countAll<number>().as('files'), eb.fn.sum<number | null>('size_bytes').as('bytes')])
      .where(isStored)
      .where('created_at', '>=', start)
      .where('created_at', '<', newerEnd)
      .executeTakeFirstOrThrow();
    found.push({ upToDays: days, files: Number(row.files), bytes: Number(row.bytes ?? 0) });
    newerEnd = start;
  }
  return found;
}

/** In order of id, after one. */
export async function listUnsharedFiles(db: Query, afterId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('erase_after_uptime', 'is not', null)
    .where('id', '>', afterId)
    .where(isUnshared)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Ids of finished files in order. */
export async function listFileIdsAfter(db: Query, afterId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('id', '>', afterId)
    .where('state', 'in', ['ready', 'damaged'])
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Ids of damaged files in order. The state is a literal, so that the partial index is used. */
export async function listDamagedAfter(db: Query, afterId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where(sql<boolean>`state = 'damaged'`)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function countFinishedFiles(db: Query): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', 'in', ['ready', 'damaged'])
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
