// Receiving files, whole or in pieces (state machine SM1). Bytes are durable before any row points at them; completing
// an upload is one statement, nothing is copied. Never holds a file in memory.
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { addStoredBytes } from '../../db/stored-bytes.ts';
import { findPart, insertPart } from '../../db/uploads.ts';
import { type Attachment, refuseExtension } from '../../domain/attachments.ts';
import { switchedOff, type Uploader } from '../../domain/caller.ts';
import { invalid, Problem, wasRolledBack } from '../../domain/problem.ts';
import { detectContentType } from '../../lib/content-type.ts';
import { crc32Hex } from '../../lib/crc32.ts';
import { getAttachment } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { demandWaitingRoom, handInMeter } from '../submissions/limits.ts';
import { type Hold, holdBlob } from './leases.ts';
import {
  leaveConflict,
  type PartOutcome,
  type ReceivedPart,
  storePart,
  uploadClosed,
  uploadConflict,
} from './parts.ts';
import { demandRoomInStore, holdRoom, type Room } from './quota.ts';
import { chainBefore, chainDigest, forgetChain, keepChain } from './running-hashes.ts';
import { attachSealed, createAttachment, finishSealing } from './sealing.ts';
import { openSession } from './sessions.ts';

export interface UploadInput {
  family: 'message' | 'link';
  /** After the clean-up of security D8. */
  fileName: string;
  declaredType: string | null;
  /** Which piece this is; null for a whole file. */
  piece: { number: number; of: number } | null;
  /** The upload it belongs to; `new` opens one of its own; null finds it by name. */
  uploadId: string | null;
  /** As announced by the client, if it did. */
  lengthBytes: number | null;
  /** Asked for only when everything that can be refused beforehand was permitted. */
  openBody(): Readable;
}

/** `attachment` is null while pieces are missing. */
export interface UploadResult {
  uploadId: string;
  attachment: Attachment | null;
}

/** After this long the completing answer no longer waits for the checksum of the whole (state machine SM1). */
const sealingPatienceMs = 25_000;

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
  const id = ctx.random.id();
  const dataKey = ctx.random.bytes(32);
  const blobKey = ctx.random.id();
  const meter = await handInMeter(ctx, uploader, { uploadId: null, partNumber: 0, lengthBytes: input.lengthBytes });
  const room = await holdRoom(ctx, uploader, input.lengthBytes);
  await orNothing(ctx, room, blobKey, async (hold) => {
    const received = await ctx.blobs.receive({ key: blobKey, dataKey, context: `${id}/0` }, input.openBody(), {
      onBytes: inTurn(meter, room.take),
    });
    await room.settle();
    const contentType = input.declaredType ?? (await detectContentType(received.head, input.fileName));
    await ctx.db.write(async (tx) => {
      await insertPart(tx, {
        upload_id: id,
        number: 0,
        blob_key: blobKey,
        size_bytes: received.sizeBytes,
        sha256: received.sha256,
        crc32: received.crc32,
      });
      await createAttachment(ctx, tx, uploader.caller, {
        id,
        ownerId: uploader.ownerId,
        source: uploader.source,
        nameSealed: ctx.keys.sealText('name', input.fileName, id),
        sizeBytes: received.sizeBytes,
        contentType,
        sha256: received.sha256,
        crc32: crc32Hex(received.crc32),
        dataKeyWrapped: ctx.keys.files.wrap(dataKey, id),
        keyId: ctx.keys.files.currentId,
      });
      if (!(await addStoredBytes(tx, uploader.ownerId, received.sizeBytes))) throw switchedOff();
      await demandWaitingRoom(tx, uploader, id);
      await room.release(tx);
      await hold.adopt(tx);
    });
  });
  return { uploadId: id, attachment: await getAttachment(ctx, id) };
}

/** Receives and stores; if that fails the room is given back, and bytes that no row can point at are removed. */
async function orNothing<Result>(
  ctx: Ctx,
  room: Room,
  blobKey: string,
  store: (hold: Hold) => Promise<Result>,
): Promise<Result> {
  const hold = holdBlob(ctx, blobKey);
  try {
    const result = await store(hold);
    room.end();
    return result;
  } catch (error) {
    await room.giveUp();
    // Otherwise the sweep decides.
    if (wasRolledBack(error)) await ctx.blobs.erase(blobKey).catch(() => {});
    throw error;
  } finally {
    await hold.end();
  }
}

async function receivePiece(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput,
  piece: { number: number; of: number },
): Promise<UploadResult> {
  const { maxChunkSizeBytes } = ctx.settings.surroundings;
  if ((input.lengthBytes ?? 0) > maxChunkSizeBytes) throw pieceTooLarge(maxChunkSizeBytes);
  const session = await leaveConflict(ctx, await openSession(ctx, uploader, { ...input, chunks: piece.of }));
  // A piece sent again after the end is only compared, so any key will do.
  const dataKey =
    session.data_key_wrapped === null
      ? ctx.random.bytes(32)
      : ctx.keys.files.unwrap(session.data_key_wrapped, session.key_encryption_key_id, session.id);
  const blob = { key: ctx.random.id(), dataKey, context: `${session.id}/${piece.number}` };
  const meter = await handInMeter(ctx, uploader, {
    uploadId: session.id,
    partNumber: piece.number,
    lengthBytes: input.lengthBytes,
  });
  const room = await holdRoom(ctx, uploader, await neededBytes(ctx, uploader, input, session.id, piece.number));
  const { part, outcome, isFinished } = await orNothing(ctx, room, blob.key, async (hold) => {
    const before = chainBefore(ctx, session.id, piece.number);
    const received = await ctx.blobs.receive(blob, input.openBody(), {
      onBytes: inTurn(meter, pieceMeter(maxChunkSizeBytes, room)),
      ...(before === null ? {} : { after: before }),
    });
    await room.settle();
    const part: ReceivedPart = {
      upload_id: session.id,
      number: piece.number,
      blob_key: blob.key,
      size_bytes: received.sizeBytes,
      sha256: received.sha256,
      crc32: received.crc32,
      sessionBegunAt: session.created_at,
      declaredType: input.declaredType,
      detectedType: piece.number === 0 ? await detectContentType(received.head, input.fileName) : null,
    };
    const { outcome, isFinished } = await ctx.db.write(async (tx) => {
      const outcome = await storePart(ctx, tx, uploader.ownerId, part);
      let digest: string | null = null;
      if (outcome.kind === 'sealed') {
        const stored = outcome.parts.map((row) => row.sha256);
        digest = chainDigest(ctx, session.id, stored, { sha256: part.sha256, hash: received.running });
        await attachSealed(ctx, tx, uploader.caller, outcome.upload, outcome.parts, digest);
      }
      await demandWaitingRoom(tx, uploader, session.id);
      await room.release(tx);
      if (outcome.kind === 'stored' || outcome.kind === 'sealed') await hold.adopt(tx);
      return { outcome, isFinished: digest !== null };
    });
    if (outcome.kind === 'stored' && received.running !== null)
      keepChain(ctx, session.id, piece.number, part.sha256, received.running);
    return { part, outcome, isFinished };
  });
  return answerPart(ctx, part, outcome, isFinished);
}

function inTurn(first: (count: number) => void, second: Room['take']): Room['take'] {
  return (count) => {
    first(count);
    return second(count);
  };
}

function pieceMeter(maxBytes: number, room: Room): Room['take'] {
  let pieceBytes = 0;
  return (count) => {
    pieceBytes += count;
    if (pieceBytes > maxBytes) throw pieceTooLarge(maxBytes);
    return room.take(count);
  };
}

/** A piece that comes again is compared, not kept: for it there must be no room beside the stored one. */
async function neededBytes(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput,
  uploadId: string,
  number: number,
): Promise<number | null> {
  if (uploader.policy.storage_quota === 0 || input.lengthBytes === null) return input.lengthBytes;
  const stored = await findPart(ctx.db.read, uploadId, number);
  return stored?.size_bytes === input.lengthBytes ? 0 : input.lengthBytes;
}

/** What the client hears of a stored piece, and what is left to do for it. */
async function answerPart(
  ctx: Ctx,
  part: ReceivedPart,
  outcome: PartOutcome,
  isFinished: boolean,
): Promise<UploadResult> {
  const uploadId = part.upload_id;
  if (outcome.kind === 'stored') return { uploadId, attachment: null };
  if (outcome.kind !== 'sealed') {
    await ctx.blobs.erase(part.blob_key);
    if (outcome.kind === 'conflict') throw uploadConflict();
    if (outcome.kind === 'closed') throw uploadClosed();
    return { uploadId, attachment: outcome.isComplete ? await getAttachment(ctx, uploadId) : null };
  }
  forgetChain(ctx, uploadId);
  if (!isFinished) await waitForSealing(ctx, finishSealing(ctx, outcome.upload));
  return { uploadId, attachment: await getAttachment(ctx, uploadId) };
}

/** Waits for the checksum, but not for ever; past that the attachment is answered as not processed yet. */
async function waitForSealing(ctx: Ctx, sealing: Promise<void>): Promise<void> {
  const patience = new AbortController();
  sealing.catch((error: unknown) =>
    ctx.log.error({ err: String(error) }, 'sealing an upload failed; the job takes it up again'),
  );
  await Promise.race([
    sealing,
    wait(sealingPatienceMs, undefined, { signal: patience.signal, ref: false }).catch(() => {}),
  ]);
  patience.abort();
}

function pieceTooLarge(maxBytes: number): Problem {
  return new Problem(
    'too_large',
    'upload.piece_too_large',
    `A piece may have at most ${maxBytes} bytes. Send smaller pieces.`,
  );
}
