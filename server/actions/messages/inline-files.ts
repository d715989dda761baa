// Files that come as Base64 inside `POST /message`. Their bytes are stored encrypted while the request is still being
// read; they become attachments in the transaction of the message, or are erased again.
import type { Readable } from 'node:stream';
import { holdAttachment } from '../../db/attachments.ts';
import type { Tx } from '../../db/schema.ts';
import { addStoredBytes } from '../../db/stored-bytes.ts';
import { insertPart } from '../../db/uploads.ts';
import { refuseExtension } from '../../domain/attachments.ts';
import { ownUploader, switchedOff, type UserCaller } from '../../domain/caller.ts';
import type { ReceivedBlob } from '../../domain/ports.ts';
import { invalid } from '../../domain/problem.ts';
import { detectContentType, usefulContentType } from '../../lib/content-type.ts';
import { crc32Hex } from '../../lib/crc32.ts';
import { cleanFileName } from '../../lib/file-name.ts';
import type { Ctx } from '../context.ts';
import { demandRoomInStore, holdRoom, type Room } from '../uploads/quota.ts';
import { createAttachment } from '../uploads/sealing.ts';

/** Bytes that are stored already and wait for their name. */
export interface StoredBytes {
  id: string;
  blobKey: string;
  dataKey: Buffer;
  received: ReceivedBlob;
  /** Quota that is promised to them until they are part of a message. */
  room: Room;
}

export interface InlineFile {
  stored: StoredBytes;
  fileName: string;
  contentType: string;
}

export async function storeInlineBytes(ctx: Ctx, caller: UserCaller, body: Readable): Promise<StoredBytes> {
  await demandRoomInStore(ctx);
  const id = ctx.random.id();
  const blobKey = ctx.random.id();
  const dataKey = ctx.random.bytes(32);
  const room = await holdRoom(ctx, ownUploader(caller), null);
  try {
    const blob = { key: blobKey, dataKey, context: `${id}/0` };
    const received = await ctx.blobs.receive(blob, body, { onBytes: room.take });
    await room.settle();
    return { id, blobKey, dataKey, received, room };
  } catch (error) {
    await room.giveUp();
    throw error;
  }
}

/** What the request said about a file, once all of it is known. */
export interface InlineFacts {
  filename: string;
  content_type?: string | undefined;
  checksum?: string | undefined;
  crc32?: string | undefined;
}

/** Checks name and checksums. Only a 64-digit checksum is a SHA-256; one client sends MD5 (compatibility rule 17). */
export async function describeInlineFile(
  caller: UserCaller,
  stored: StoredBytes,
  facts: InlineFacts,
): Promise<InlineFile> {
  const fileName = cleanFileName(facts.filename);
  const refusal = refuseExtension(caller.policy, fileName);
  if (refusal !== null) throw refusal;
  const { received } = stored;
  if (/^[0-9a-f]{64}$/i.test(facts.checksum ?? '') && facts.checksum!.toLowerCase() !== received.sha256) {
    throw invalid(
      'attachment.checksum_mismatch',
      `The checksum of "${fileName}" does not fit its data. It was not received as you sent it.`,
      'checksum',
    );
  }
  if (/^[0-9a-f]{1,8}$/i.test(facts.crc32 ?? '') && Number.parseInt(facts.crc32!, 16) !== received.crc32) {
    throw invalid(
      'attachment.checksum_mismatch',
      `The CRC-32 of "${fileName}" does not fit its data. It was not received as you sent it.`,
      'crc32',
    );
  }
  const contentType = usefulContentType(facts.content_type) ?? (await detectContentType(received.head, fileName));
  return { stored, fileName, contentType };
}

/** Makes the rows of a file and binds it, inside the message's transaction. */
export async function adoptInlineFile(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  file: InlineFile,
): Promise<{ id: string; sizeBytes: number }> {
  const { id, blobKey, dataKey, received, room } = file.stored;
  await insertPart(tx, {
    upload_id: id,
    number: 0,
    blob_key: blobKey,
    size_bytes: received.sizeBytes,
    sha256: received.sha256,
    crc32: received.crc32,
  });
  await createAttachment(ctx, tx, caller, {
    id,
    ownerId: caller.userId,
    source: '',
    nameSealed: ctx.keys.sealText('name', file.fileName, id),
    sizeBytes: received.sizeBytes,
    contentType: file.contentType,
    sha256: received.sha256,
    crc32: crc32Hex(received.crc32),
    dataKeyWrapped: ctx.keys.files.wrap(dataKey, id),
    keyId: ctx.keys.files.currentId,
  });
  if (!(await addStoredBytes(tx, caller.userId, received.sizeBytes))) throw switchedOff();
  await room.release(tx);
  await holdAttachment(tx, id, caller.userId);
  return { id, sizeBytes: received.sizeBytes };
}

/** What did not become part of a message. What a crash leaves, the orphan sweep takes. */
export async function discardInlineFiles(ctx: Ctx, files: StoredBytes[]): Promise<void> {
  for (const { blobKey, room } of files) {
    await room.giveUp();
    await ctx.blobs
      .erase(blobKey)
      .catch((error: unknown) => ctx.log.warn({ err: String(error) }, 'a refused file is left to the orphan sweep'));
  }
}
