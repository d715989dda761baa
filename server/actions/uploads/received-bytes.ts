// Received bytes until a row references them or they are erased.

import { Readable } from 'node:stream';
import type { Tx } from '../../db/schema/schema.ts';
import { insertPart } from '../../db/uploads/parts.ts';
import type { Attachment } from '../../domain/attachments.ts';
import type { Caller } from '../../domain/caller.ts';
import type { ReceivedBlob, SealedBlob } from '../../domain/ports.ts';
import { wasRolledBack } from '../../domain/problem.ts';
import type { Upload } from '../../domain/uploads.ts';
import { crc32Hex } from '../../lib/crc32.ts';
import type { Ctx } from '../context.ts';
import { type Hold, holdBlob } from './leases.ts';
import type { Reservation } from './quota.ts';
import type { Meter } from './quota-growth.ts';
import { createAttachment } from './sealing.ts';

export interface UploadInput {
  family: Upload['family'];
  /** Already cleaned. */
  fileName: string;
  declaredType: string | null;
  /** Null for a whole file. */
  chunk: { number: number; of: number } | null;
  /** `new` opens an upload; null finds it by name. */
  uploadId: string | null;
  /** Null if the client did not announce it. */
  lengthBytes: number | null;
  /** Called after all checks that need no bytes. */
  openBody(): Readable;
}

/** `attachment` is null until all chunks have arrived. */
export interface UploadResult {
  uploadId: string;
  attachment: Attachment | null;
}

export function combineMeters(first: (count: number) => void, second: Meter): Meter {
  return (count) => {
    first(count);
    return second(count);
  };
}

/** On failure, cancels the reservation and erases the bytes, unless a row may reference them. */
export async function receiveOrRollBack<Result>(
  ctx: Ctx,
  reservation: Reservation,
  blobKey: string,
  store: (hold: Hold) => Promise<Result>,
): Promise<Result> {
  const hold = holdBlob(ctx, blobKey);
  try {
    const result = await store(hold);
    reservation.finish();
    return result;
  } catch (error) {
    await reservation.cancel();
    // Otherwise the sweep decides.
    if (wasRolledBack(error)) await ctx.blobs.erase(blobKey).catch(() => {});
    throw error;
  } finally {
    await hold.end();
  }
}

interface TemporaryBlob {
  received: ReceivedBlob;
  reopen(): Readable;
}

/** Stores bytes under a temporary key while `use` runs. */
export async function withTemporaryBlob<Result>(
  ctx: Ctx,
  reservation: Reservation,
  { openBody, onBytes }: { openBody(): Readable; onBytes: Meter },
  use: (aside: TemporaryBlob) => Promise<Result>,
): Promise<Result> {
  const blob = { key: ctx.random.id(), dataKey: ctx.random.bytes(32), context: 'aside' };
  const hold = holdBlob(ctx, blob.key);
  try {
    const received = await ctx.blobs.receive(blob, openBody(), { onBytes });
    await reservation.reserveRest();
    // `use` reserves space for the bytes it keeps.
    await reservation.cancel();
    return await use({ received, reopen: () => openStored(ctx, blob, received.sizeBytes) });
  } finally {
    await reservation.cancel();
    await ctx.blobs.erase(blob.key).catch(() => {});
    await hold.end();
  }
}

export function openStored(ctx: Ctx, blob: SealedBlob, sizeBytes: number): Readable {
  return Readable.from(ctx.blobs.read(blob, { start: 0, end: sizeBytes }), { objectMode: false });
}

/** A file of one part, without a row yet. */
export interface UploadedFile {
  id: string;
  blobKey: string;
  dataKey: Buffer;
  received: ReceivedBlob;
  hold: Hold;
}

interface FileFacts {
  ownerId: string;
  source: string;
  fileName: string;
  contentType: string;
  /** A message holds the file from the start. */
  isHeld: boolean;
}

/** The caller charges the bytes. */
export async function insertUploadedFile(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  file: UploadedFile & FileFacts,
): Promise<void> {
  const { id, blobKey, dataKey, received, hold } = file;
  const { sizeBytes, sha256, crc32 } = received;
  await insertPart(tx, { uploadId: id, number: 0, blobKey, sizeBytes, sha256, crc32 });
  await createAttachment(ctx, tx, caller, {
    id,
    ownerId: file.ownerId,
    source: file.source,
    fileName: file.fileName,
    contentType: file.contentType,
    isHeld: file.isHeld,
    sizeBytes,
    sha256,
    crc32: crc32Hex(crc32),
    dataKey: ctx.keys.files.wrap(dataKey, id),
  });
  await hold.adopt(tx);
}
