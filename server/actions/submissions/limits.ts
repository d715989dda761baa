// Limits on submitted files, checked while bytes arrive and again at delivery.
import { findDropReserve, touchDropKey } from '../../db/filedrops/filedrops.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { noteReservation } from '../../db/storage/stored-bytes.ts';
import { findPart, findWaiting, sumPartBytes, type Waiting } from '../../db/uploads/parts.ts';
import { lockUser } from '../../db/users/users.ts';
import type { SubmissionLimits, Uploader } from '../../domain/caller.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';

const megabyte = 1024 * 1024;

/** Senders may replace their choice; a reusable request accepts thirty deliveries an hour. */
const waitingDeliveries = { once: 2, often: 30 };

export function submissionLimitsFor(deliveryMegabytes: number, isReusable: boolean): SubmissionLimits {
  const fileBytes = deliveryMegabytes * megabyte;
  const waitingBytes = fileBytes * (isReusable ? waitingDeliveries.often : waitingDeliveries.once);
  return { fileBytes, waitingBytes, dropName: null };
}

export function tooLargeDelivery(limits: { fileBytes: number }): Problem {
  return invalid(
    'submission.too_large',
    `One delivery can have ${Math.floor(limits.fileBytes / megabyte)} MB at most. Send fewer files at once.`,
    'attachments',
  ).withValues({ size: { bytes: limits.fileBytes } });
}

/** Refuses an announced length that is too large. The result counts bytes, and throws beyond the limit. */
export async function submissionMeter(
  ctx: Ctx,
  uploader: Uploader,
  wanted: { uploadId: string | null; partNumber: number; lengthBytes: number | null },
): Promise<(count: number) => void> {
  const limits = uploader.submissionLimits;
  if (limits === null) return () => {};
  const db = ctx.db.read;
  const { uploadId, partNumber } = wanted;
  const waiting = limits.dropName === null ? (await findWaiting(db, uploader.ownerId, uploader.source)).bytes : 0;
  const stored = uploadId === null ? 0 : await sumPartBytes(db, uploadId);
  // A repeated chunk replaces the stored one.
  const again = uploadId === null ? 0 : ((await findPart(db, uploadId, partNumber))?.sizeBytes ?? 0);
  const most = Math.min(limits.fileBytes - stored, limits.waitingBytes - waiting) + again;
  if ((wanted.lengthBytes ?? 0) > most) throw tooLargeDelivery(limits);
  let takenBytes = 0;
  return (count) => {
    takenBytes += count;
    if (takenBytes > most) throw tooLargeDelivery(limits);
  };
}

/** Runs in the transaction that stores the bytes, so the limit is exact. */
export async function requireWaitingSpace(ctx: Ctx, tx: Tx, uploader: Uploader, uploadId: string): Promise<void> {
  const limits = uploader.submissionLimits;
  if (limits === null) return;
  await lockUser(tx, uploader.ownerId);
  if ((await sumPartBytes(tx, uploadId)) > limits.fileBytes) throw tooLargeDelivery(limits);
  const waiting = await findWaitingOf(tx, uploader, limits);
  if (waiting.bytes > limits.waitingBytes) throw limits.dropName === null ? tooLargeDelivery(limits) : dropFull();
  assertFew(waiting, limits);
  if (limits.dropName !== null) await touchDropKey(tx, uploader.source.slice('drop:'.length), ctx.clock.now());
}

/** Uploads without bytes are rows too. */
export async function assertFewWaiting(tx: Tx, uploader: Uploader): Promise<void> {
  const limits = uploader.submissionLimits;
  if (limits === null) return;
  await lockUser(tx, uploader.ownerId);
  const waiting = await findWaitingOf(tx, uploader, limits);
  assertFew({ ...waiting, files: waiting.files + 1 }, limits);
}

function findWaitingOf(tx: Tx, { ownerId, source }: Uploader, { dropName }: SubmissionLimits): Promise<Waiting> {
  return dropName === null ? findWaiting(tx, ownerId, source) : findDropReserve(tx, dropName);
}

/** Limits the rows that tiny files or chunks create. */
export const mostWaiting = { dropFiles: 1000, requestFiles: 2000, chunks: 50_000 };

function assertFew({ files, chunks }: Waiting, { dropName }: SubmissionLimits): void {
  const mostFiles = dropName === null ? mostWaiting.requestFiles : mostWaiting.dropFiles;
  if (files <= mostFiles && chunks <= mostWaiting.chunks) return;
  throw dropName === null ? tooManyWaiting() : dropFull();
}

function tooManyWaiting(): Problem {
  return invalid(
    'submission.too_many_waiting',
    'Too many files are waiting here to be delivered. Deliver them, or try again tomorrow.',
    'attachments',
  );
}

export function dropFull(): Problem {
  return invalid(
    'filedrop.full',
    'Too many files are waiting here to be delivered. Try again in an hour.',
    'attachments',
  );
}

/** False when the drop page's reserve has no space. */
export async function reserveAtDrop(
  tx: Tx,
  { ownerId, source, submissionLimits }: Pick<Uploader, 'ownerId' | 'source'> & { submissionLimits: SubmissionLimits },
  promise: { id: string; bytes: number; expiresAt: number },
): Promise<boolean> {
  await lockUser(tx, ownerId);
  const reserve = await findDropReserve(tx, submissionLimits.dropName!);
  if (reserve.bytes + reserve.promisedBytes + promise.bytes > submissionLimits.waitingBytes) return false;
  await noteReservation(tx, { ...promise, ownerId, source });
  return true;
}
