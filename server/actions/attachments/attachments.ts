// Reading, listing and deleting finished files. Erasing means: the data key is destroyed in the transaction, the bytes
// follow by a job (security D22).
import { eraseAttachment, findAttachment, listAttachments } from '../../db/attachments.ts';
import { findLinksOfAttachments, type LinkUse } from '../../db/file-links.ts';
import { findMessagesOfAttachments, type MessageUse } from '../../db/message-files.ts';
import type { AttachmentsTable, Query, Tx } from '../../db/schema.ts';
import { addStoredBytes } from '../../db/stored-bytes.ts';
import { deleteParts, listParts, queueErasures, setUploadState } from '../../db/uploads.ts';
import { type Attachment, unboundLifetimeMs } from '../../domain/attachments.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { dateOf } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

const pageSize = 200;

/** The caller's files that can be used, a page at a time. */
export async function* listOwnAttachments(ctx: Ctx, caller: UserCaller): AsyncGenerator<Attachment[]> {
  let after = { createdAt: 0, id: '' };
  for (;;) {
    const rows = await listAttachments(ctx.db.read, caller.userId, after, pageSize);
    if (rows.length === 0) return;
    const views = await describeAttachments(ctx, ctx.db.read, rows);
    yield views.filter((view) => view.isAvailable || !view.isProcessed);
    const last = rows.at(-1)!;
    after = { createdAt: last.created_at, id: last.id };
  }
}

/** One file, for whoever has already been permitted to see it. */
export async function getAttachment(ctx: Ctx, id: string): Promise<Attachment> {
  const row = await findAttachment(ctx.db.read, id);
  if (row === undefined) throw notFound('attachment');
  return (await describeAttachments(ctx, ctx.db.read, [row]))[0]!;
}

/** Several files by id, in that order; those that are not there, or came from elsewhere, are left out. */
export async function getAttachments(ctx: Ctx, ids: string[], source: string): Promise<Attachment[]> {
  const rows = await Promise.all(ids.map((id) => findAttachment(ctx.db.read, id)));
  const known = rows.filter((row) => row !== undefined && row.state !== 'erased' && row.source === source);
  return describeAttachments(ctx, ctx.db.read, known as AttachmentsTable[]);
}

/** Removes an uploaded file that was not sent yet. One that is in use is withdrawn where it is used. */
export async function deleteOwnAttachment(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const row = await findAttachment(tx, id);
    if (row === undefined || row.owner_id !== caller.userId) throw notFound('attachment');
    if (await eraseFile(ctx, tx, caller, id)) return;
    if ((await findAttachment(tx, id))?.state === 'erased') throw notFound('attachment');
    throw invalid(
      'attachment.in_use',
      'This file has been sent. Stop sharing it where it is used, then it is deleted.',
    );
  });
}

/**
 * Destroys the key of a file and queues its bytes for removal; inside the caller's transaction. False when the file is
 * erased already, or held by something (unless `evenIfHeld`: it goes with its owner).
 */
export async function eraseFile(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  id: string,
  { evenIfHeld = false }: { evenIfHeld?: boolean } = {},
): Promise<boolean> {
  const erased = await eraseAttachment(tx, id, evenIfHeld);
  if (erased === null) return false;
  // An upload whose checksum is still being computed holds the key too, and a finished one must not answer any more.
  await setUploadState(tx, id, ['sealing', 'ready', 'failed'], 'abandoned');
  const parts = await listParts(tx, id);
  await deleteParts(tx, id);
  await queueErasures(
    tx,
    parts.map((part) => part.blob_key),
    ctx.clock.now(),
  );
  await addStoredBytes(tx, erased.ownerId, -erased.sizeBytes);
  await record(ctx, tx, caller, {
    action: 'attachment.erased',
    object: { kind: 'attachment', id },
    ownerId: erased.ownerId,
  });
  return true;
}

/** Rows as the rest of the house sees them, with where each file is used. */
export async function describeAttachments(ctx: Ctx, db: Query, rows: AttachmentsTable[]): Promise<Attachment[]> {
  const held = rows.filter((row) => row.reference_count > 0).map((row) => row.id);
  const links = await findLinksOfAttachments(db, held);
  const messages = await findMessagesOfAttachments(db, held);
  return rows.map((row) => describe(ctx, row, links.get(row.id) ?? [], messages.get(row.id) ?? []));
}

function describe(ctx: Ctx, row: AttachmentsTable, links: LinkUse[], messages: MessageUse[]): Attachment {
  const latest = [...links, ...messages].reduce((date, use) => (use.expiresOn > date ? use.expiresOn : date), '');
  const unbound = dateOf(row.created_at + unboundLifetimeMs, ctx.settings.surroundings.timeZone);
  return {
    id: row.id,
    ownerId: row.owner_id,
    fileName: ctx.keys.openText('name', row.name_sealed, row.id),
    sizeBytes: row.size_bytes,
    contentType: row.content_type,
    sha256: row.sha256,
    crc32: row.crc32,
    isProcessed: row.state !== 'sealing',
    processedAt: row.processed_at,
    isAvailable: row.state === 'ready',
    expiresOn: latest === '' ? unbound : latest,
    createdAt: row.created_at,
    messageIds: messages.map((message) => message.id),
    linkIds: links.map((link) => link.id),
  };
}
