// Receives files, whole or in chunks, without holding them in memory. Bytes are durable before a row references them.

import { isUserActive } from '../../db/across/leaving.ts';
import { addStoredBytes } from '../../db/storage/stored-bytes.ts';
import { refuseExtension } from '../../domain/attachments.ts';
import { switchedOff, type Uploader } from '../../domain/caller.ts';
import type { SealedBlob } from '../../domain/ports.ts';
import { invalid } from '../../domain/problem.ts';
import { detectContentType } from '../../lib/content-type.ts';
import { getAttachment } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { requireWaitingSpace, submissionMeter } from '../submissions/limits.ts';
import { requireOpen } from '../system/maintenance.ts';
import { receiveChunk } from './chunks.ts';
import { requireStorageSpace, reserveQuota } from './quota.ts';
import {
  combineMeters,
  insertUploadedFile,
  openStored,
  receiveOrRollBack,
  type UploadInput,
  type UploadResult,
} from './received-bytes.ts';

export async function receiveUpload(ctx: Ctx, uploader: Uploader, input: UploadInput): Promise<UploadResult> {
  assertMayUpload(uploader, input.family);
  assertFileType(uploader, input.fileName);
  await requireStorageSpace(ctx);
  return input.chunk === null || input.chunk.of === 1
    ? receiveWhole(ctx, uploader, { ...input, describe: () => input })
    : receiveChunk(ctx, uploader, input, input.chunk);
}

/** A form may send the file name after the file. */
export interface DeferredUpload extends Omit<UploadInput, 'fileName' | 'chunk'> {
  /** Called when the body has ended; may throw a refusal. */
  describe(): Pick<UploadInput, 'fileName' | 'chunk'>;
}

export async function receiveDeferredUpload(
  ctx: Ctx,
  uploader: Uploader,
  input: DeferredUpload,
): Promise<UploadResult> {
  assertMayUpload(uploader, input.family);
  await requireStorageSpace(ctx);
  return receiveWhole(ctx, uploader, input);
}

/** Checked every few seconds, so that a disabled account stops uploading. */
export function mayStillUpload(ctx: Ctx, ownerId: string): Promise<boolean> {
  return isUserActive(ctx.db.read, ownerId);
}

function assertMayUpload({ policy, source }: Uploader, family: UploadInput['family']): void {
  // Outside senders may upload whatever the owner's group says.
  const isPermitted = source !== '' || policy.can_use_filelinks || (family === 'message' && policy.can_use_messages);
  if (!isPermitted) {
    const what = family === 'message' ? 'send files' : 'create links';
    throw invalid('attachment.not_permitted', `Your group can’t ${what}. Ask your administrator if you need to.`);
  }
}

function assertFileType({ policy, source }: Uploader, fileName: string): void {
  const refusal = refuseExtension(policy, fileName, source !== '');
  if (refusal !== null) throw refusal;
}

async function receiveWhole(ctx: Ctx, uploader: Uploader, input: DeferredUpload): Promise<UploadResult> {
  requireOpen(ctx, uploader.caller);
  const { lengthBytes } = input;
  const { ownerId, source, caller } = uploader;
  const [id, blobKey, dataKey] = [ctx.random.id(), ctx.random.id(), ctx.random.bytes(32)];
  const blob = { key: blobKey, dataKey, context: `${id}/0` };
  const meter = await submissionMeter(ctx, uploader, { uploadId: null, partNumber: 0, lengthBytes });
  const reservation = await reserveQuota(ctx, uploader, lengthBytes);
  const chunkResult = await receiveOrRollBack(ctx, reservation, blobKey, async (hold) => {
    const received = await ctx.blobs.receive(blob, input.openBody(), {
      onBytes: combineMeters(meter, reservation.addBytes),
    });
    await reservation.reserveRest();
    const { fileName, chunk } = input.describe();
    assertFileType(uploader, fileName);
    if (chunk !== null && chunk.of > 1) {
      await reservation.cancel();
      return storeAsChunk(ctx, uploader, { ...input, fileName, chunk }, { blob, sizeBytes: received.sizeBytes });
    }
    const contentType = input.declaredType ?? (await detectContentType(received.head, fileName));
    const file = { id, blobKey, dataKey, received, hold, ownerId, source, fileName, contentType, isHeld: false };
    await ctx.db.write(async (tx) => {
      await insertUploadedFile(ctx, tx, caller, file);
      if (!(await addStoredBytes(tx, uploader, received.sizeBytes))) throw switchedOff();
      await requireWaitingSpace(ctx, tx, uploader, id);
      await reservation.release(tx);
    });
    return null;
  });
  return chunkResult ?? { uploadId: id, attachment: await getAttachment(ctx, id) };
}

/** The form named the chunk after its bytes. */
async function storeAsChunk(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput & { chunk: NonNullable<UploadInput['chunk']> },
  { blob, sizeBytes }: { blob: SealedBlob; sizeBytes: number },
): Promise<UploadResult> {
  const openBody = () => openStored(ctx, blob, sizeBytes);
  try {
    return await receiveChunk(ctx, uploader, { ...input, lengthBytes: sizeBytes, openBody }, input.chunk);
  } finally {
    await ctx.blobs.erase(blob.key).catch(() => {});
  }
}
