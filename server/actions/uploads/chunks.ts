// Receives one chunk of a file.

import { setTimeout as wait } from 'node:timers/promises';
import { findPart } from '../../db/uploads/parts.ts';
import type { Uploader } from '../../domain/caller.ts';
import type { ReceivedBlob } from '../../domain/ports.ts';
import { Problem } from '../../domain/problem.ts';
import type { Part, Upload } from '../../domain/uploads.ts';
import { detectContentType } from '../../lib/content-type.ts';
import { getAttachment } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { requireWaitingSpace, submissionMeter } from '../submissions/limits.ts';
import type { Hold } from './leases.ts';
import {
  type PartOutcome,
  type ReceivedPart,
  resolveConflict,
  storePart,
  uploadClosed,
  uploadConflict,
} from './parts.ts';
import { type Reservation, reserveQuota } from './quota.ts';
import type { Meter } from './quota-growth.ts';
import {
  combineMeters,
  receiveOrRollBack,
  type UploadInput,
  type UploadResult,
  withTemporaryBlob,
} from './received-bytes.ts';
import { chainBefore, chainDigest, dropChain, saveChain } from './running-hashes.ts';
import { attachSealed, finishSealing } from './sealing.ts';
import { findCompletedBy, openUpload } from './sessions.ts';

interface Chunk {
  upload: Upload;
  number: number;
  blobKey: string;
  input: UploadInput;
}

export async function receiveChunk(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput,
  wanted: ChunkPosition,
): Promise<UploadResult> {
  const { maxChunkSizeBytes } = ctx.settings.surroundings;
  if ((input.lengthBytes ?? 0) > maxChunkSizeBytes) throw chunkTooLarge(maxChunkSizeBytes);
  const completed = await findCompletedBy(ctx, uploader, { ...input, chunks: wanted.of }, wanted.number);
  const last = completed === null ? null : await findPart(ctx.db.read, completed.id, wanted.number);
  if (last !== null && (input.lengthBytes === null || input.lengthBytes === last.sizeBytes))
    return receiveRepeatedLast(ctx, uploader, input, { wanted, last });
  return receiveNext(ctx, uploader, input, wanted);
}

interface ChunkPosition {
  number: number;
  of: number;
}

/** Equal bytes repeat the chunk that completed a file and return that file; other bytes begin a new upload. */
async function receiveRepeatedLast(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput,
  { wanted, last }: { wanted: ChunkPosition; last: Part },
): Promise<UploadResult> {
  const uploadId = last.uploadId;
  const { lengthBytes } = input;
  const meter = await submissionMeter(ctx, uploader, { uploadId, partNumber: last.number, lengthBytes });
  const reservation = await reserveQuota(ctx, uploader, 0);
  const onBytes = combineMeters(meter, chunkMeter(ctx.settings.surroundings.maxChunkSizeBytes, reservation));
  return withTemporaryBlob(ctx, reservation, { openBody: input.openBody, onBytes }, async ({ received, reopen }) => {
    const kept = await findPart(ctx.db.read, uploadId, last.number);
    if (kept !== null && kept.sha256 === received.sha256 && kept.sizeBytes === received.sizeBytes)
      return { uploadId, attachment: await getAttachment(ctx, uploadId) };
    return receiveNext(ctx, uploader, { ...input, lengthBytes: received.sizeBytes, openBody: reopen }, wanted);
  });
}

async function receiveNext(
  ctx: Ctx,
  uploader: Uploader,
  input: UploadInput,
  { number, of }: ChunkPosition,
): Promise<UploadResult> {
  const { maxChunkSizeBytes } = ctx.settings.surroundings;
  const upload = await resolveConflict(ctx, await openUpload(ctx, uploader, { ...input, chunks: of }));
  const chunk: Chunk = { upload, number, blobKey: ctx.random.id(), input };
  const { lengthBytes } = input;
  const meter = await submissionMeter(ctx, uploader, { uploadId: upload.id, partNumber: number, lengthBytes });
  const reservation = await reserveQuota(ctx, uploader, await neededBytes(ctx, uploader, chunk));
  const stored = await receiveOrRollBack(ctx, reservation, chunk.blobKey, async (hold) => {
    const received = await receive(ctx, chunk, combineMeters(meter, chunkMeter(maxChunkSizeBytes, reservation)));
    await reservation.reserveRest();
    return store(ctx, uploader, { chunk, received, reservation, hold });
  });
  return answerPart(ctx, chunk, stored);
}

async function receive(ctx: Ctx, { upload, number, blobKey, input }: Chunk, onBytes: Meter) {
  // Bytes repeated after the end are only compared, so any key works.
  const dataKey = upload.dataKey === null ? ctx.random.bytes(32) : ctx.keys.files.unwrap(upload.dataKey, upload.id);
  const after = chainBefore(ctx, upload.id, number);
  const blob = { key: blobKey, dataKey, context: `${upload.id}/${number}` };
  return ctx.blobs.receive(blob, input.openBody(), { onBytes, ...(after === null ? {} : { after }) });
}

interface ReceivedChunk {
  chunk: Chunk;
  received: ReceivedBlob;
  reservation: Reservation;
  hold: Hold;
}

interface Stored {
  outcome: PartOutcome;
  isFinished: boolean;
}

async function store(
  ctx: Ctx,
  uploader: Uploader,
  { chunk, received, reservation, hold }: ReceivedChunk,
): Promise<Stored> {
  const { upload, number, blobKey, input } = chunk;
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
      const chunks = outcome.parts.map((one) => one.sha256);
      digest = chainDigest(ctx, upload.id, chunks, { sha256, hash: running });
      await attachSealed(ctx, tx, uploader.caller, { ...outcome, sha256: digest });
    }
    await requireWaitingSpace(ctx, tx, uploader, upload.id);
    await reservation.release(tx);
    if (outcome.kind === 'stored' || outcome.kind === 'sealed') await hold.adopt(tx);
    return { outcome, isFinished: digest !== null };
  });
  if (stored.outcome.kind === 'stored' && running !== null)
    saveChain(ctx, upload.id, { number, sha256, hash: running });
  return stored;
}

function chunkMeter(maxBytes: number, reservation: Reservation): Meter {
  let chunkBytes = 0;
  return (count) => {
    chunkBytes += count;
    if (chunkBytes > maxBytes) throw chunkTooLarge(maxBytes);
    return reservation.addBytes(count);
  };
}

/** A repeated chunk is only compared, so it needs no space. */
async function neededBytes(ctx: Ctx, uploader: Uploader, { upload, number, input }: Chunk): Promise<number | null> {
  const isUnlimited = uploader.policy.storage_quota === 0 && (uploader.submissionLimits?.dropName ?? null) === null;
  if (isUnlimited || input.lengthBytes === null) return input.lengthBytes;
  const stored = await findPart(ctx.db.read, upload.id, number);
  return stored?.sizeBytes === input.lengthBytes ? 0 : input.lengthBytes;
}

async function answerPart(
  ctx: Ctx,
  { upload, blobKey }: Chunk,
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
  dropChain(ctx, uploadId);
  if (!isFinished) await waitForSealing(ctx, finishSealing(ctx, outcome.upload));
  return { uploadId, attachment: await getAttachment(ctx, uploadId) };
}

/** Afterwards the completing reply no longer waits for the checksum. */
const sealingTimeoutMs = 25_000;

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

function chunkTooLarge(maxBytes: number): Problem {
  return new Problem(
    'too_large',
    'upload.piece_too_large',
    `A piece may have at most ${maxBytes} bytes. Send smaller pieces.`,
  );
}
