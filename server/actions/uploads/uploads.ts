// Receiving files, whole or in pieces (state machine SM1). Bytes are durable before any row points at them; completing
// an upload is one statement, nothing is copied. Never holds a file in memory.
import { addStoredBytes } from '../../db/stored-bytes.ts';
import { refuseExtension } from '../../domain/attachments.ts';
import { switchedOff, type Uploader } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { detectContentType } from '../../lib/content-type.ts';
import { getAttachment } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { demandWaitingRoom, handInMeter } from '../submissions/limits.ts';
import { adoptFile, inTurn, receiveOrNothing, type UploadInput, type UploadResult } from './arrivals.ts';
import { receivePiece } from './pieces.ts';
import { demandRoomInStore, holdRoom } from './quota.ts';

/** Takes one request's bytes. Refusals come before the body is read wherever they can. */
export async function receiveUpload(ctx: Ctx, uploader: Uploader, input: UploadInput): Promise<UploadResult> {
  demandMayUpload(uploader, input);
  await demandRoomInStore(ctx);
  return input.piece === null || input.piece.of === 1
    ? receiveWhole(ctx, uploader, input)
    : receivePiece(ctx, uploader, input, input.piece);
}

function demandMayUpload(uploader: Uploader, input: UploadInput): void {
  const { policy, source } = uploader;
  // Somebody outside was asked for files; what the owner may send does not matter then, what is refused does.
  const isPermitted =
    source !== '' || policy.can_use_filelinks || (input.family === 'message' && policy.can_use_messages);
  if (!isPermitted) {
    const what = input.family === 'message' ? 'send files' : 'use FileLinks';
    throw invalid('attachment.not_permitted', `Your group can't ${what}. Ask your administrator if you need to.`);
  }
  const refusal = refuseExtension(policy, input.fileName);
  if (refusal !== null) throw refusal;
}

async function receiveWhole(ctx: Ctx, uploader: Uploader, input: UploadInput): Promise<UploadResult> {
  const { lengthBytes, fileName } = input;
  const { ownerId, source, caller } = uploader;
  const [id, blobKey, dataKey] = [ctx.random.id(), ctx.random.id(), ctx.random.bytes(32)];
  const meter = await handInMeter(ctx, uploader, { uploadId: null, partNumber: 0, lengthBytes });
  const room = await holdRoom(ctx, uploader, lengthBytes);
  await receiveOrNothing(ctx, room, blobKey, async (hold) => {
    const received = await ctx.blobs.receive({ key: blobKey, dataKey, context: `${id}/0` }, input.openBody(), {
      onBytes: inTurn(meter, room.take),
    });
    await room.settle();
    const contentType = input.declaredType ?? (await detectContentType(received.head, fileName));
    const file = { id, blobKey, dataKey, received, hold, ownerId, source, fileName, contentType, isHeld: false };
    await ctx.db.write(async (tx) => {
      await adoptFile(ctx, tx, caller, file);
      if (!(await addStoredBytes(tx, ownerId, received.sizeBytes))) throw switchedOff();
      await demandWaitingRoom(tx, uploader, id);
      await room.release(tx);
    });
  });
  return { uploadId: id, attachment: await getAttachment(ctx, id) };
}
