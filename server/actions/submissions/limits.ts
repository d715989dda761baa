// How much people outside may hand in, looked at when bytes arrive and not only when they are delivered (invariant I13):
// one file, and everything that waits under one key or request. The owner's own uploads cost nothing here.
import { findPart, sumPartBytes, sumWaitingBytes } from '../../db/parts.ts';
import type { Tx } from '../../db/schema.ts';
import { holdUser } from '../../db/users.ts';
import type { HandInLimits, Uploader } from '../../domain/caller.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';

const megabyte = 1024 * 1024;

/** People choose again, so twice a delivery may wait; a reusable request takes thirty deliveries an hour. */
const waitingDeliveries = { once: 2, often: 30 };

export function handInLimits(deliveryMegabytes: number, isReusable: boolean): HandInLimits {
  const fileBytes = deliveryMegabytes * megabyte;
  return { fileBytes, waitingBytes: fileBytes * (isReusable ? waitingDeliveries.often : waitingDeliveries.once) };
}

export function tooLargeDelivery(limits: { fileBytes: number }): Problem {
  return invalid(
    'submission.too_large',
    `One delivery can have ${Math.floor(limits.fileBytes / megabyte)} MB at most. Send fewer files at once.`,
    'attachments',
  ).withValues({ size: { bytes: limits.fileBytes } });
}

/** Refuses an announced length that does not fit; returns the count of bytes as they pass, which refuses the one too many. */
export async function handInMeter(
  ctx: Ctx,
  uploader: Uploader,
  wanted: { uploadId: string | null; partNumber: number; lengthBytes: number | null },
): Promise<(count: number) => void> {
  const limits = uploader.handIn;
  if (limits === null) return () => {};
  const db = ctx.db.read;
  const { uploadId, partNumber } = wanted;
  const waiting = await sumWaitingBytes(db, uploader.ownerId, uploader.source);
  const stored = uploadId === null ? 0 : await sumPartBytes(db, uploadId);
  // A piece that comes again takes the place of the stored one.
  const again = uploadId === null ? 0 : ((await findPart(db, uploadId, partNumber))?.sizeBytes ?? 0);
  const most = Math.min(limits.fileBytes - stored, limits.waitingBytes - waiting) + again;
  if ((wanted.lengthBytes ?? 0) > most) throw tooLargeDelivery(limits);
  let takenBytes = 0;
  return (count) => {
    takenBytes += count;
    if (takenBytes > most) throw tooLargeDelivery(limits);
  };
}

/** In the transaction that stores: exact also for uploads that arrived together. */
export async function demandWaitingRoom(tx: Tx, uploader: Uploader, uploadId: string): Promise<void> {
  const limits = uploader.handIn;
  if (limits === null) return;
  await holdUser(tx, uploader.ownerId);
  const isTooMuch =
    (await sumPartBytes(tx, uploadId)) > limits.fileBytes ||
    (await sumWaitingBytes(tx, uploader.ownerId, uploader.source)) > limits.waitingBytes;
  if (isTooMuch) throw tooLargeDelivery(limits);
}
