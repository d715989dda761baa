// Receiving one piece of a file, and finishing the file with the last one (state machine SM1).
import { setTimeout as wait } from 'node:timers/promises';
import { findPart } from '../../db/uploads/parts.ts';
import type { Uploader } from '../../domain/caller.ts';
import type { ReceivedBlob } from '../../domain/ports.ts';
import { Problem } from '../../domain/problem.ts';
import type { Part, Upload } from '../../domain/uploads.ts';
import { detectContentType } from '../../lib/content-type.ts';
import { getAttachment } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { handInMeter, requireWaitingSpace } from '../submissions/limits.ts';
import { inTurn, receiveOrNothing, setAside, type UploadInput, type UploadResult } from './arrivals.ts';
import type { Hold } from './leases.ts';
import {
  leaveConflict,
  type PartOutcome,
  type ReceivedPart,
  storePart,
  uploadClosed,
  uploadConflict,
} from './parts.ts';
import { holdRoom, type Room } from './quota.ts';
import { chainBefore, chainDigest, forgetChain, keepChain } from './running-hashes.ts';
import { attachSealed, finishSealing } from './sealing.ts';
import { findCompletedBy, openUpload } from './sessions.ts';

/** One piece of one upload that is being received. */
interface Piece {
  upload: Upload;
  number: number;
  blobKey: string;
  input: UploadInput;
}

export async function receivePiece(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput,
  wanted: WantedPiece,
): Promise<UploadResult> {
  const { maxChunkSizeBytes } = ctx.settings.surroundings;
  if ((input.lengthBytes ?? 0) > maxChunkSizeBytes) throw pieceTooLarge(maxChunkSizeBytes);
  const completed = await findCompletedBy(ctx, uploader, { ...input, chunks: wanted.of }, wanted.number);
  const last = completed === null ? null : await findPart(ctx.db.read, completed.id, wanted.number);
  if (last !== null && (input.lengthBytes === null || input.lengthBytes === last.sizeBytes))
    return receiveLastAgain(ctx, uploader, input, { wanted, last });
  return receiveNext(ctx, uploader, input, wanted);
}

interface WantedPiece {
  number: number;
  of: number;
}

/**
 * The piece that completed a file seems to come again. Its bytes decide: the same ones get the finished file, others are
 * a piece of the next upload, which is opened only then.
 */
async function receiveLastAgain(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput,
  { wanted, last }: { wanted: WantedPiece; last: Part },
): Promise<UploadResult> {
  const uploadId = last.uploadId;
  const { lengthBytes } = input;
  const meter = await handInMeter(ctx, uploader, { uploadId, partNumber: last.number, lengthBytes });
  // Compared and erased again, so it needs no room.
  const room = await holdRoom(ctx, uploader, 0);
  const onBytes = inTurn(meter, pieceMeter(ctx.settings.surroundings.maxChunkSizeBytes, room));
  return setAside(ctx, room, { openBody: input.openBody, onBytes }, async ({ received, openAgain }) => {
    const kept = await findPart(ctx.db.read, uploadId, last.number);
    if (kept !== null && kept.sha256 === received.sha256 && kept.sizeBytes === received.sizeBytes)
      return { uploadId, attachment: await getAttachment(ctx, uploadId) };
    return receiveNext(ctx, uploader, { ...input, lengthBytes: received.sizeBytes, openBody: openAgain }, wanted);
  });
}

async function receiveNext(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput,
  { number, of }: WantedPiece,
): Promise<UploadResult> {
  const { maxChunkSizeBytes } = ctx.settings.surroundings;
  const upload = await leaveConflict(ctx, await openUpload(ctx, uploader, { ...input, chunks: of }));
  const piece: Piece = { upload, number, blobKey: ctx.random.id(), input };
  const { lengthBytes } = input;
  const meter = await handInMeter(ctx, uploader, { uploadId: upload.id, partNumber: number, lengthBytes });
  const room = await holdRoom(ctx, uploader, await neededBytes(ctx, uploader, piece));
  const stored = await receiveOrNothing(ctx, room, piece.blobKey, async (hold) => {
    const received = await receive(ctx, piece, inTurn(meter, pieceMeter(maxChunkSizeBytes, room)));
    await room.settle();
    return store(ctx, uploader, { piece, received, room, hold });
  });
  return answerPart(ctx, piece, stored);
}

async function receive(ctx: Ctx, { upload, number, blobKey, input }: Piece, onBytes: Room['take']) {
  // A piece sent again after the end is only compared, so any key will do.
  const dataKey = upload.dataKey === null ? ctx.random.bytes(32) : ctx.keys.files.unwrap(upload.dataKey, upload.id);
  const after = chainBefore(ctx, upload.id, number);
  const blob = { key: blobKey, dataKey, context: `${upload.id}/${number}` };
  return ctx.blobs.receive(blob, input.openBody(), { onBytes, ...(after === null ? {} : { after }) });
}

interface Arrived {
  piece: Piece;
  received: ReceivedBlob;
  room: Room;
  hold: Hold;
}

interface Stored {
  outcome: PartOutcome;
  /** The checksum of the whole file is known already. */
  isFinished: boolean;
}

async function store(ctx: Ctx, uploader: Uploader, { piece, received, room, hold }: Arrived): Promise<Stored> {
  const { upload, number, blobKey, input } = piece;
  const { sizeBytes, sha256, crc32, running } = received;
  const part: ReceivedPart = {
    uploadId: upload.id,
    number,
    blobKey,
    sizeBytes,
    sha256,
    crc32,
    ownerId: uploader.ownerId,
    source: uploader.source,
    uploadBegunAt: upload.begunAt,
    declaredType: input.declaredType,
    detectedType: number === 0 ? await detectContentType(received.head, input.fileName) : null,
  };
  const stored = await ctx.db.write(async (tx) => {
    const outcome = await storePart(ctx, tx, part);
    let digest: string | null = null;
    if (outcome.kind === 'sealed') {
      const pieces = outcome.parts.map((one) => one.sha256);
      digest = chainDigest(ctx, upload.id, pieces, { sha256, hash: running });
      await attachSealed(ctx, tx, uploader.caller, { ...outcome, sha256: digest });
    }
    await requireWaitingSpace(ctx, tx, uploader, upload.id);
    await room.release(tx);
    if (outcome.kind === 'stored' || outcome.kind === 'sealed') await hold.adopt(tx);
    return { outcome, isFinished: digest !== null };
  });
  if (stored.outcome.kind === 'stored' && running !== null)
    keepChain(ctx, upload.id, { number, sha256, hash: running });
  return stored;
}

function pieceMeter(maxBytes: number, room: Room): Room['take'] {
  let pieceBytes = 0;
  return (count) => {
    pieceBytes += count;
    if (pieceBytes > maxBytes) throw pieceTooLarge(maxBytes);
    return room.take(count);
  };
}

/** A piece that comes again is compared, not kept, so it needs no room beside the stored one. */
async function neededBytes(ctx: Ctx, uploader: Uploader, { upload, number, input }: Piece): Promise<number | null> {
  const isUnlimited = uploader.policy.storage_quota === 0 && (uploader.handIn?.dropName ?? null) === null;
  if (isUnlimited || input.lengthBytes === null) return input.lengthBytes;
  const stored = await findPart(ctx.db.read, upload.id, number);
  return stored?.sizeBytes === input.lengthBytes ? 0 : input.lengthBytes;
}

/** What the client hears of a stored piece, and what is left to do for it. */
async function answerPart(
  ctx: Ctx,
  { upload, blobKey }: Piece,
  { outcome, isFinished }: Stored,
): Promise<UploadResult> {
  const uploadId = upload.id;
  if (outcome.kind === 'stored') return { uploadId, attachment: null };
  if (outcome.kind !== 'sealed') {
    await ctx.blobs.erase(blobKey);
    if (outcome.kind === 'conflict') throw uploadConflict();
    if (outcome.kind === 'closed') throw uploadClosed();
    return { uploadId, attachment: outcome.isComplete ? await getAttachment(ctx, uploadId) : null };
  }
  forgetChain(ctx, uploadId);
  if (!isFinished) await waitForSealing(ctx, finishSealing(ctx, outcome.upload));
  return { uploadId, attachment: await getAttachment(ctx, uploadId) };
}

/** After this long the completing reply no longer waits for the checksum of the whole (state machine SM1). */
const sealingTimeoutMs = 25_000;

/** Waits for the checksum, but not for ever; past that the attachment is returned as not processed yet. */
async function waitForSealing(ctx: Ctx, sealing: Promise<void>): Promise<void> {
  const timeout = new AbortController();
  sealing.catch((error: unknown) =>
    ctx.log.error({ err: String(error) }, 'sealing an upload failed; the job takes it up again'),
  );
  await Promise.race([
    sealing,
    wait(sealingTimeoutMs, undefined, { signal: timeout.signal, ref: false }).catch(() => {}),
  ]);
  timeout.abort();
}

function pieceTooLarge(maxBytes: number): Problem {
  return new Problem(
    'too_large',
    'upload.piece_too_large',
    `A piece may have at most ${maxBytes} bytes. Send smaller pieces.`,
  );
}
