// Receiving files, whole or in pieces (state machine SM1). Bytes are durable before any row points at them; completing
// an upload is one statement, nothing is copied. Never holds a file in memory.

import { isUserActive } from '../../db/across/leaving.ts';
import { addStoredBytes } from '../../db/storage/stored-bytes.ts';
import { refuseExtension } from '../../domain/attachments.ts';
import { switchedOff, type Uploader } from '../../domain/caller.ts';
import type { SealedBlob } from '../../domain/ports.ts';
import { invalid } from '../../domain/problem.ts';
import { detectContentType } from '../../lib/content-type.ts';
import { getAttachment } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { handInMeter, requireWaitingSpace } from '../submissions/limits.ts';
import { requireOpen } from '../system/maintenance.ts';
import { adoptFile, inTurn, readAgain, receiveOrNothing, type UploadInput, type UploadResult } from './arrivals.ts';
import { receivePiece } from './pieces.ts';
import { holdRoom, requireStorageSpace } from './quota.ts';

/** Takes one request's bytes. Refusals come before the body is read wherever they can. */
export async function receiveUpload(ctx: Ctx, uploader: Uploader, input: UploadInput): Promise<UploadResult> {
  assertMayUpload(uploader, input.family);
  assertFileType(uploader, input.fileName);
  await requireStorageSpace(ctx);
  return input.piece === null || input.piece.of === 1
    ? receiveWhole(ctx, uploader, { ...input, describe: () => input })
    : receivePiece(ctx, uploader, input, input.piece);
}

/** A file whose name and place are known only after its last byte: a form may bring its fields after the file. */
export interface LateUpload extends Omit<UploadInput, 'fileName' | 'piece'> {
  /** Asked when the body has ended. May refuse. */
  describe(): Pick<UploadInput, 'fileName' | 'piece'>;
}

export async function receiveLateUpload(ctx: Ctx, uploader: Uploader, input: LateUpload): Promise<UploadResult> {
  assertMayUpload(uploader, input.family);
  await requireStorageSpace(ctx);
  return receiveWhole(ctx, uploader, input);
}

/** Asked every few seconds while bytes arrive: an account that is switched off takes nothing more. */
export function mayStillUpload(ctx: Ctx, ownerId: string): Promise<boolean> {
  return isUserActive(ctx.db.read, ownerId);
}

function assertMayUpload({ policy, source }: Uploader, family: UploadInput['family']): void {
  // Somebody outside was asked for files; what the owner may send does not matter then, what is refused does.
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

async function receiveWhole(ctx: Ctx, uploader: Uploader, input: LateUpload): Promise<UploadResult> {
  requireOpen(ctx, uploader.caller);
  const { lengthBytes } = input;
  const { ownerId, source, caller } = uploader;
  const [id, blobKey, dataKey] = [ctx.random.id(), ctx.random.id(), ctx.random.bytes(32)];
  const blob = { key: blobKey, dataKey, context: `${id}/0` };
  const meter = await handInMeter(ctx, uploader, { uploadId: null, partNumber: 0, lengthBytes });
  const room = await holdRoom(ctx, uploader, lengthBytes);
  const asPiece = await receiveOrNothing(ctx, room, blobKey, async (hold) => {
    const received = await ctx.blobs.receive(blob, input.openBody(), { onBytes: inTurn(meter, room.take) });
    await room.settle();
    const { fileName, piece } = input.describe();
    assertFileType(uploader, fileName);
    if (piece !== null && piece.of > 1) {
      await room.giveUp();
      return moveToPiece(ctx, uploader, { ...input, fileName, piece }, { blob, sizeBytes: received.sizeBytes });
    }
    const contentType = input.declaredType ?? (await detectContentType(received.head, fileName));
    const file = { id, blobKey, dataKey, received, hold, ownerId, source, fileName, contentType, isHeld: false };
    await ctx.db.write(async (tx) => {
      await adoptFile(ctx, tx, caller, file);
      if (!(await addStoredBytes(tx, uploader, received.sizeBytes))) throw switchedOff();
      await requireWaitingSpace(ctx, tx, uploader, id);
      await room.release(tx);
    });
    return null;
  });
  return asPiece ?? { uploadId: id, attachment: await getAttachment(ctx, id) };
}

/** What looked like a whole file is a piece: its bytes are stored once more, where they belong. */
async function moveToPiece(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput & { piece: NonNullable<UploadInput['piece']> },
  { blob, sizeBytes }: { blob: SealedBlob; sizeBytes: number },
): Promise<UploadResult> {
  const openBody = () => readAgain(ctx, blob, sizeBytes);
  try {
    return await receivePiece(ctx, uploader, { ...input, lengthBytes: sizeBytes, openBody }, input.piece);
  } finally {
    await ctx.blobs.erase(blob.key).catch(() => {});
  }
}
