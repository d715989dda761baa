// Queries on FileLinks.
import type { Insertable, Updateable } from 'kysely';
import type { FileLinksTable, Query, Tx } from './schema.ts';

const withFile = (db: Query) =>
  db
    .selectFrom('file_links')
    .innerJoin('attachments', 'attachments.id', 'file_links.attachment_id')
    .selectAll('file_links')
    .select([
      'attachments.name_sealed',
      'attachments.size_bytes',
      'attachments.content_type',
      'attachments.sha256',
      'attachments.crc32',
      'attachments.state as file_state',
    ]);

export type FileLinkRow = NonNullable<Awaited<ReturnType<typeof findFileLink>>>;

/** A link with its file, in any state; rules decide what may be told of it. */
export function findFileLink(db: Query, id: string) {
  return withFile(db).where('file_links.id', '=', id).executeTakeFirst();
}

/** The owner's live links, newest first. */
export function listFileLinks(
  db: Query,
  ownerId: string,
  now: number,
  before: { createdAt: number; id: string } | null,
  limit: number,
) {
  let query = withFile(db)
    .where('file_links.owner_id', '=', ownerId)
    .where('file_links.state', '=', 'active')
    .where('file_links.expires_at', '>', now);
  if (before !== null) {
    query = query.where((eb) =>
      eb.or([
        eb('file_links.created_at', '<', before.createdAt),
        eb.and([eb('file_links.created_at', '=', before.createdAt), eb('file_links.id', '<', before.id)]),
      ]),
    );
  }
  return query.orderBy('file_links.created_at', 'desc').orderBy('file_links.id', 'desc').limit(limit).execute();
}

export async function insertFileLink(tx: Tx, row: Insertable<FileLinksTable>): Promise<void> {
  await tx.insertInto('file_links').values(row).execute();
}

/** Changes a link that is still in the state it was seen in; false when that changed meanwhile. */
export async function updateFileLink(
  tx: Tx,
  id: string,
  seenState: FileLinksTable['state'],
  changes: Updateable<FileLinksTable>,
): Promise<boolean> {
  const updated = await tx
    .updateTable('file_links')
    .set(changes)
    .where('id', '=', id)
    .where('state', '=', seenState)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/**
 * Ends a link: `deleted` by somebody, `released` because its day has passed (and only then). Answers what it held
 * before, or null when there was nothing to end.
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
    // Its owner may have moved the date since it was looked at.
    if (to === 'released') query = query.where('expires_at', '<=', now);
    const ended = await query.returning('attachment_id').executeTakeFirst();
    if (ended !== undefined) return { attachmentId: ended.attachment_id, heldFile: from === 'active' };
  }
  return null;
}

export function listExpiredFileLinks(db: Query, expiredBefore: number, limit: number) {
  return db
    .selectFrom('file_links')
    .select(['id', 'owner_id'])
    .where('state', '=', 'active')
    .where('expires_at', '<=', expiredBefore)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}

export function listFileLinkIdsOf(db: Query, ownerId: string) {
  return db
    .selectFrom('file_links')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('state', '<>', 'deleted')
    .execute();
}

/** A live link that holds a file. */
export interface LinkUse {
  id: string;
  expiresOn: string;
}

/** Live links per attachment, for the attachment's own attributes. */
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

export type LinkSort = 'created_at' | 'expires_at' | 'size';

/** Which of the owner's links: of a state as people see it at an instant; all but deleted ones when it is null. */
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

export function listFileLinksPage(
  db: Query,
  filter: LinkFilter,
  order: { by: LinkSort; direction: 'asc' | 'desc' },
  page: { offset: number; limit: number },
) {
  const column = order.by === 'size' ? 'attachments.size_bytes' : (`file_links.${order.by}` as const);
  return withFilter(db, filter)
    .orderBy(column, order.direction)
    .orderBy('file_links.id', order.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export async function countFileLinks(db: Query, filter: LinkFilter): Promise<number> {
  const row = await withFilter(db, filter)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
