// Queries on attachments. Destroying the wrapped data key here is what erases a file (security D22).
import type { Insertable } from 'kysely';
import { kept, type Param } from './engine/kept.ts';
import type { AttachmentsTable, Builder, Query, Tx } from './schema.ts';

export async function insertAttachment(tx: Tx, row: Insertable<AttachmentsTable>): Promise<void> {
  await tx.insertInto('attachments').values(row).execute();
}

const attachmentById = kept((db: Builder, param: Param<{ id: string }>) =>
  db.selectFrom('attachments').selectAll().where('id', '=', param('id')),
);

export async function findAttachment(db: Query, id: string) {
  return (await attachmentById(db, { id }))[0];
}

export type AttachmentRow = NonNullable<Awaited<ReturnType<typeof findAttachment>>>;

export async function findSealedNames(db: Query, ids: string[]) {
  if (ids.length === 0) return [];
  return db.selectFrom('attachments').select(['id', 'name_sealed']).where('id', 'in', ids).execute();
}

/** Files of a person that can still be used, oldest first. */
export function listAttachments(db: Query, ownerId: string, after: { createdAt: number; id: string }, limit: number) {
  return db
    .selectFrom('attachments')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('source', '=', '')
    .where('state', 'in', ['ready', 'sealing'])
    .where((eb) =>
      eb.or([
        eb('created_at', '>', after.createdAt),
        eb.and([eb('created_at', '=', after.createdAt), eb('id', '>', after.id)]),
      ]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function finishAttachment(tx: Tx, id: string, sha256: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('attachments')
    .set({ state: 'ready', sha256, processed_at: now })
    .where('id', '=', id)
    .where('state', '=', 'sealing')
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function setAttachmentState(tx: Tx, id: string, state: 'damaged' | 'failed'): Promise<void> {
  await tx.updateTable('attachments').set({ state }).where('id', '=', id).where('state', '<>', 'erased').execute();
}

const hold = kept((tx: Builder, param: Param<{ id: string; ownerId: string; source: string }>) =>
  tx
    .updateTable('attachments')
    .set((eb) => ({ reference_count: eb('reference_count', '+', 1), erase_after_uptime: null, source: '' }))
    .where('id', '=', param('id'))
    .where('owner_id', '=', param('ownerId'))
    .where('source', '=', param('source'))
    .where('state', '=', 'ready'),
);

/** Binds the file to one more holder; false when it is not the owner's, not from that source, or not ready (invariant I6). */
export async function holdAttachment(tx: Tx, id: string, ownerId: string, source = ''): Promise<boolean> {
  const [updated] = await hold(tx, { id, ownerId, source });
  return Number(updated?.numUpdatedRows) === 1;
}

/** One holder less. With the last one gone the file waits for its erasure. */
export async function releaseAttachment(tx: Tx, id: string, eraseAfterUptime: number): Promise<number> {
  const row = await tx
    .updateTable('attachments')
    .set((eb) => ({
      reference_count: eb('reference_count', '-', 1),
      erase_after_uptime: eb.case().when('reference_count', '<=', 1).then(eraseAfterUptime).else(null).end(),
    }))
    .where('id', '=', id)
    .where('reference_count', '>', 0)
    .returning('reference_count')
    .executeTakeFirst();
  return row?.reference_count ?? 0;
}

/** Files somebody outside handed in and that were never delivered. */
export function listUndelivered(db: Query, ownerId: string, source: string, limit: number) {
  return db
    .selectFrom('attachments')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('source', '=', source)
    .where('state', '<>', 'erased')
    .limit(limit)
    .execute();
}

/**
 * Destroys the data key, for the one caller that does it, and answers the facts needed to follow up. A file that is
 * held stays, unless it goes with its owner: somebody may have bound it since it was looked at.
 */
export async function eraseAttachment(
  tx: Tx,
  id: string,
  evenIfHeld: boolean,
): Promise<{ ownerId: string; sizeBytes: number } | null> {
  let query = tx
    .updateTable('attachments')
    .set({ state: 'erased', data_key_wrapped: null, erase_after_uptime: null })
    .where('id', '=', id)
    .where('state', '<>', 'erased');
  if (!evenIfHeld) query = query.where('reference_count', '=', 0);
  const row = await query.returning(['owner_id', 'size_bytes']).executeTakeFirst();
  return row === undefined ? null : { ownerId: row.owner_id, sizeBytes: row.size_bytes };
}

/** Files nothing holds and whose time has come, longest due first. */
export function listErasableAttachments(db: Query, uptime: number, limit: number) {
  return db
    .selectFrom('attachments')
    .select('id')
    .where('erase_after_uptime', 'is not', null)
    .where('erase_after_uptime', '<=', uptime)
    .orderBy('erase_after_uptime')
    .limit(limit)
    .execute();
}

export async function countErasableAttachments(db: Query, uptime: number): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('erase_after_uptime', 'is not', null)
    .where('erase_after_uptime', '<=', uptime)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Deleted people whose files a crash left behind. */
export function listOwnersToPurge(db: Query, limit: number) {
  return db
    .selectFrom('attachments')
    .innerJoin('users', 'users.id', 'attachments.owner_id')
    .select('users.id')
    .distinct()
    .where('users.state', '=', 'deleted')
    .where('attachments.state', '<>', 'erased')
    .limit(limit)
    .execute();
}

export function listAttachmentIdsOf(db: Query, ownerId: string) {
  return db
    .selectFrom('attachments')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('state', '<>', 'erased')
    .execute();
}

export async function countAttachments(db: Query): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '<>', 'erased')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
