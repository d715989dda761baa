// Reading, listing and deleting finished files. Erasing means: the data key is destroyed in the transaction, the bytes
// follow by a job (security D22).
import {
  destroyKeptKey,
  type ErasedFile,
  eraseAttachment,
  findAttachment,
  listAttachments,
} from '../../db/attachments/attachments.ts';
import { findLinksOfAttachments, type LinkUse } from '../../db/file-links/file-links.ts';
import { findMessagesOfAttachments, type MessageUse } from '../../db/messages/message-files.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { addStoredBytes } from '../../db/storage/stored-bytes.ts';
import { releaseParts } from '../../db/uploads/parts.ts';
import { setUploadState } from '../../db/uploads/uploads.ts';
import { type Attachment, type StoredFile, unboundLifetimeMs } from '../../domain/attachments.ts';
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
    const files = await listAttachments(ctx.db.read, caller.userId, after, pageSize);
    const last = files.at(-1);
    if (last === undefined) return;
    const described = await describeAttachments(ctx, files);
    yield described.filter((file) => file.isAvailable || !file.isProcessed);
    after = { createdAt: last.createdAt, id: last.id };
  }
}

/** One file, for whoever has already been permitted to see it. */
export async function getAttachment(ctx: Ctx, id: string): Promise<Attachment> {
  const file = await findAttachment(ctx.db.read, id);
  if (file === null) throw notFound('attachment');
  return (await describeAttachments(ctx, [file]))[0]!;
}

/** Several files by id, in that order; those that are not there, or came from elsewhere, are left out. */
export async function getAttachments(ctx: Ctx, ids: string[], source: string): Promise<Attachment[]> {
  const files = await Promise.all(ids.map((id) => findAttachment(ctx.db.read, id)));
  const known = files.filter((file) => file !== null && file.state !== 'erased' && file.source === source);
  return describeAttachments(ctx, known as StoredFile[]);
}

/** Removes an uploaded file that was not sent yet. One that is in use is withdrawn where it is used. */
export async function deleteOwnAttachment(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const file = await findAttachment(tx, id);
    if (file === null || file.ownerId !== caller.userId) throw notFound('attachment');
    if (await eraseFile(ctx, tx, caller, id)) return;
    if ((await findAttachment(tx, id))?.state === 'erased') throw notFound('attachment');
    throw invalid(
      'attachment.in_use',
      'This file has been sent. Stop sharing it where it is used, then it is deleted.',
    );
  });
}

/**
 * Destroys the key of a file and queues its bytes for removal; inside the caller's transaction. A legal hold keeps both,
 * and its owner sees no difference. False when the file is erased already, or something holds it.
 */
export function eraseFile(ctx: Ctx, tx: Tx, caller: Caller, id: string): Promise<boolean> {
  return erase(ctx, tx, caller, { id, evenIfHeld: false });
}

/** The same for a file that goes with whatever holds it. */
export function eraseHeldFile(ctx: Ctx, tx: Tx, caller: Caller, id: string): Promise<boolean> {
  return erase(ctx, tx, caller, { id, evenIfHeld: true });
}

async function erase(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, evenIfHeld }: { id: string; evenIfHeld: boolean },
): Promise<boolean> {
  const erased = await eraseAttachment(tx, id, evenIfHeld);
  if (erased === null) return false;
  // An upload whose checksum is still being computed holds the key too, and a finished one must not answer any more.
  await setUploadState(tx, id, ['sealing', 'ready', 'failed'], 'abandoned');
  await addStoredBytes(tx, erased, -erased.sizeBytes);
  await finishErasing(ctx, tx, caller, { id, erased });
  return true;
}

/** Bytes and key of an erased file go once no legal hold keeps them. */
async function finishErasing(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, erased }: { id: string; erased: ErasedFile },
): Promise<void> {
  if (!erased.isKept) await releaseParts(tx, id, ctx.clock.now());
  await record(ctx, tx, caller, {
    action: erased.isKept ? 'attachment.kept_on_hold' : 'attachment.erased',
    object: { kind: 'attachment', id },
    ownerId: erased.ownerId,
  });
}

/** For a file that was erased while a legal hold kept it. False when one still keeps it, or its key is destroyed. */
export async function eraseKeptFile(ctx: Ctx, tx: Tx, caller: Caller, id: string): Promise<boolean> {
  const erased = await destroyKeptKey(tx, id);
  if (erased !== null) await finishErasing(ctx, tx, caller, { id, erased });
  return erased !== null;
}

/** Files as people are told of them, with where each is used. */
async function describeAttachments(ctx: Ctx, files: StoredFile[]): Promise<Attachment[]> {
  const held = files.filter((file) => file.isHeld).map((file) => file.id);
  const links = await findLinksOfAttachments(ctx.db.read, held);
  const messages = await findMessagesOfAttachments(ctx.db.read, held);
  return files.map((file) => describe(ctx, file, links.get(file.id) ?? [], messages.get(file.id) ?? []));
}

function describe(ctx: Ctx, file: StoredFile, links: LinkUse[], messages: MessageUse[]): Attachment {
  const latest = [...links, ...messages].reduce((date, use) => (use.expiresOn > date ? use.expiresOn : date), '');
  const unbound = dateOf(file.createdAt + unboundLifetimeMs, ctx.settings.surroundings.timeZone);
  return {
    id: file.id,
    ownerId: file.ownerId,
    fileName: file.fileName,
    sizeBytes: file.sizeBytes,
    contentType: file.contentType,
    sha256: file.sha256,
    crc32: file.crc32,
    isProcessed: file.state !== 'sealing',
    processedAt: file.processedAt,
    isAvailable: file.state === 'ready',
    expiresOn: latest === '' ? unbound : latest,
    createdAt: file.createdAt,
    messageIds: messages.map((message) => message.id),
    linkIds: links.map((link) => link.id),
  };
}
