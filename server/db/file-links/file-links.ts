// Queries on file links.
import type { StoredFile } from '../../domain/attachments.ts';
import type { FileLink } from '../../domain/file-links.ts';
import { checksumColumns, openChecksums } from '../attachments/checksums.ts';
import { openFileName } from '../attachments/held-files.ts';
import { type Param, prepared, rowOf } from '../engine/prepared.ts';
import type { AttachmentsTable, Builder, FileLinksTable, Query, Sealer, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

type LinkedFile = Pick<
  StoredFile,
  'fileName' | 'sizeBytes' | 'contentType' | 'sha256' | 'crc32' | 'state' | 'scanState' | 'isFromOutside'
>;
type FileColumns = Pick<
  AttachmentsTable,
  | 'name_sealed'
  | 'size_bytes'
  | 'content_type'
  | 'sha256'
  | 'crc32'
  | 'checksums_sealed'
  | 'scan_state'
  | 'is_from_outside'
>;

const links = defineTable<FileLinksTable>()(({ plain, flags }) => ({
  ...plain('id', 'owner_id', 'attachment_id', 'expires_on', 'expires_at', 'state', 'created_at', 'updated_at'),
  ...plain('password_hash', 'password_version'),
  ...flags('send_receipt', 'require_sign_in'),
}));

function linkOf(keys: Sealer, row: FileLinksTable, { state: fileState, ...file }: LinkedFile): FileLink {
  const { passwordHash, passwordVersion: _, ...link } = links.read(row, keys);
  return { ...link, ...file, fileState, hasPassword: passwordHash !== null };
}

function joinedOf(
  keys: Sealer,
  row: FileLinksTable & FileColumns & { file_state: AttachmentsTable['state'] },
): FileLink {
  return linkOf(keys, row, {
    fileName: openFileName(keys, { id: row.attachment_id, name_sealed: row.name_sealed }),
    sizeBytes: row.size_bytes,
    contentType: row.content_type,
    ...openChecksums(keys, row, row.attachment_id),
    state: row.file_state,
    scanState: row.scan_state,
    isFromOutside: row.is_from_outside === 1,
  });
}

const withFile = (db: Query) =>
  db
    .selectFrom('file_links')
    .innerJoin('attachments', 'attachments.id', 'file_links.attachment_id')
    .selectAll('file_links')
    .select([
      'attachments.name_sealed',
      'attachments.size_bytes',
      'attachments.content_type',
      ...checksumColumns,
      'attachments.state as file_state',
      'attachments.scan_state',
      'attachments.is_from_outside',
    ]);

/** In any state. */
export async function findFileLink(db: Query, id: string): Promise<FileLink | null> {
  const row = await withFile(db).where('file_links.id', '=', id).executeTakeFirst();
  return row === undefined ? null : joinedOf(db.keys, row);
}

/** Null for no link or no password. */
export async function findLinkPassword(
  db: Query,
  id: string,
): Promise<{ passwordHash: string | null; passwordVersion: number }> {
  const row = await db
    .selectFrom('file_links')
    .select(['password_hash as passwordHash', 'password_version as passwordVersion'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? { passwordHash: null, passwordVersion: 0 };
}

/** Live links, newest first, after `before`. */
export async function listFileLinks(
  db: Query,
  wanted: { ownerId: string; now: number; before: { createdAt: number; id: string } | null; limit: number },
): Promise<FileLink[]> {
  const { before } = wanted;
  let query = withFile(db)
    .where('file_links.owner_id', '=', wanted.ownerId)
    .where('file_links.state', '=', 'active')
    .where('file_links.expires_at', '>', wanted.now);
  if (before !== null) {
    query = query.where((eb) =>
      eb.or([
        eb('file_links.created_at', '<', before.createdAt),
        eb.and([eb('file_links.created_at', '=', before.createdAt), eb('file_links.id', '<', before.id)]),
      ]),
    );
  }
  const rows = await query
    .orderBy('file_links.created_at', 'desc')
    .orderBy('file_links.id', 'desc')
    .limit(wanted.limit)
    .execute();
  return rows.map((row) => joinedOf(db.keys, row));
}

export interface NewLink {
  id: string;
  ownerId: string;
  attachmentId: string;
  expiresOn: string;
  expiresAt: number;
  passwordHash: string | null;
  sendReceipt: boolean;
  requireSignIn: boolean;
  now: number;
}

const insertRow = prepared((tx: Builder, param: Param<FileLinksTable>) =>
  tx.insertInto('file_links').values(rowOf(links.columns, param)),
);

export async function insertFileLink(tx: Tx, link: NewLink, file: StoredFile): Promise<FileLink> {
  const { now, ...given } = link;
  const row = links.write({ ...given, passwordVersion: 0, state: 'active', createdAt: now, updatedAt: now }, tx.keys);
  await insertRow(tx, row);
  const { fileName, sizeBytes, contentType, sha256, crc32, state, scanState, isFromOutside } = file;
  const linked = { fileName, sizeBytes, contentType, sha256, crc32, state, scanState, isFromOutside };
  return linkOf(tx.keys, row, linked);
}

/** What is left out does not change. A new last day revives an expired link. */
export type LinkChanges =
  | { expiresOn: string; expiresAt: number }
  | { passwordHash: string | null }
  | { sendReceipt: boolean }
  | { requireSignIn: boolean };

/** False when the link is no longer in the given state. */
export async function updateFileLink(
  tx: Tx,
  seen: Pick<FileLink, 'id' | 'state'>,
  changes: LinkChanges,
  now: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('file_links')
    .set((eb) => ({
      ...links.changes('expiresOn' in changes ? { ...changes, state: 'active' } : changes, tx.keys),
      // Removing a password admits more visitors, so tickets stay valid.
      ...('passwordHash' in changes && changes.passwordHash !== null
        ? { password_version: eb('password_version', '+', 1) }
        : {}),
      updated_at: now,
    }))
    .where('id', '=', seen.id)
    .where('state', '=', seen.state)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Locks the link until the transaction ends and returns the id of its owner; null for no link. */
export async function lockFileLink(tx: Tx, id: string): Promise<string | null> {
  const row = await tx
    .updateTable('file_links')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .returning('owner_id')
    .executeTakeFirst();
  return row?.owner_id ?? null;
}

/**
 * Ends a link: `deleted` by a user, `released` once its day has passed. Returns the file it shared, or null when there
 * was nothing to end.
 */
export async function endFileLink(
  tx: Tx,
  id: string,
  to: 'released' | 'deleted',
  now: number,
): Promise<{ attachmentId: string; heldFile: boolean } | null> {
  for (const from of to === 'deleted' ? (['active', 'released'] as const) : (['active'] as const)) {
    let query = tx
      .updateTable('file_links')
      .set({ state: to, updated_at: now })
      .where('id', '=', id)
      .where('state', '=', from);
    // The owner may have changed the date since the job read it.
    if (to === 'released') query = query.where('expires_at', '<=', now);
    const ended = await query.returning('attachment_id').executeTakeFirst();
    if (ended !== undefined) return { attachmentId: ended.attachment_id, heldFile: from === 'active' };
  }
  return null;
}

export function listExpiredFileLinks(
  db: Query,
  expiredBefore: number,
  limit: number,
): Promise<Pick<FileLink, 'id' | 'ownerId'>[]> {
  return db
    .selectFrom('file_links')
    .select(['id', 'owner_id as ownerId'])
    .where('state', '=', 'active')
    .where('expires_at', '<=', expiredBefore)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}

export async function listFileLinkIdsOf(db: Query, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('file_links')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('state', '<>', 'deleted')
    .execute();
  return rows.map((row) => row.id);
}

export interface LinkUse {
  id: string;
  expiresOn: string;
}

export async function findLinksOfAttachments(db: Query, attachmentIds: string[]): Promise<Map<string, LinkUse[]>> {
  const found = new Map<string, LinkUse[]>();
  if (attachmentIds.length === 0) return found;
  const rows = await db
    .selectFrom('file_links')
    .select(['id', 'attachment_id', 'expires_on'])
    .where('attachment_id', 'in', attachmentIds)
    .where('state', '=', 'active')
    .orderBy('created_at')
    .execute();
  for (const row of rows) {
    found.set(row.attachment_id, [...(found.get(row.attachment_id) ?? []), { id: row.id, expiresOn: row.expires_on }]);
  }
  return found;
}

export async function countActiveLinks(db: Query, now: number): Promise<number> {
  const row = await db
    .selectFrom('file_links')
    .select((eb) => eb.fn.countAll<number>().as('links'))
    .where('state', '=', 'active')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(row.links);
}

const sortColumns = {
  createdAt: 'file_links.created_at',
  expiresAt: 'file_links.expires_at',
  sizeBytes: 'attachments.size_bytes',
} as const;

export interface LinkOrder {
  by: keyof typeof sortColumns;
  direction: 'asc' | 'desc';
}

/** Links of a state at an instant; all except deleted ones when it is null. */
export interface LinkFilter {
  ownerId: string;
  /** `live`: active or ending. */
  state: 'active' | 'ending' | 'live' | 'expired' | 'deleted' | null;
  now: number;
  /** What ends before this instant is ending. */
  endingBefore: number;
}

const withFilter = (db: Query, { ownerId, state, now, endingBefore }: LinkFilter) => {
  const query = withFile(db).where('file_links.owner_id', '=', ownerId);
  if (state === 'deleted') return query.where('file_links.state', '=', 'deleted');
  if (state === null) return query.where('file_links.state', '<>', 'deleted');
  if (state === 'expired')
    return query
      .where('file_links.state', '<>', 'deleted')
      .where((eb) => eb.or([eb('file_links.state', '=', 'released'), eb('file_links.expires_at', '<=', now)]));
  const live = query.where('file_links.state', '=', 'active').where('file_links.expires_at', '>', now);
  if (state === 'live') return live;
  return state === 'ending'
    ? live.where('file_links.expires_at', '<=', endingBefore)
    : live.where('file_links.expires_at', '>', endingBefore);
};

export async function listFileLinksPage(
  db: Query,
  filter: LinkFilter,
  order: LinkOrder,
  page: { offset: number; limit: number },
): Promise<FileLink[]> {
  const rows = await withFilter(db, filter)
    .orderBy(sortColumns[order.by], order.direction)
    .orderBy('file_links.id', order.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map((row) => joinedOf(db.keys, row));
}

export async function countFileLinks(db: Query, filter: LinkFilter): Promise<number> {
  const row = await withFilter(db, filter)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
