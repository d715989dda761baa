// Base64 files inside `POST /message`. Their encrypted bytes are stored while the request is read, and erased unless
// the message is created.

import { Readable } from 'node:stream';
import type { Tx } from '../../db/schema/schema.ts';
import { addStoredBytes } from '../../db/storage/stored-bytes.ts';
import { maxFilesTogether, refuseExtension } from '../../domain/attachments.ts';
import { ownUploader, switchedOff, type UserCaller } from '../../domain/caller.ts';
import type { HeldFile } from '../../domain/messages.ts';
import { invalid, type Problem, wasRolledBack } from '../../domain/problem.ts';
import type { ScanState } from '../../domain/scanning.ts';
import { createBackground } from '../../lib/background.ts';
import { detectContentType, usefulContentType } from '../../lib/content-type.ts';
import { crc32Hex } from '../../lib/crc32.ts';
import { cleanFileName } from '../../lib/file-name.ts';
import type { Ctx } from '../context.ts';
import { type Hold, holdBlob } from '../uploads/leases.ts';
import { type Reservation, requireStorageSpace, reserveQuota } from '../uploads/quota.ts';
import type { Meter } from '../uploads/quota-growth.ts';
import { insertUploadedFile, type UploadedFile } from '../uploads/received-bytes.ts';

/** Stored bytes without an attachment row. */
export interface StoredBytes extends UploadedFile {
  /** Shared by all files of the request. */
  reservation: Reservation;
  /** Set before rows are inserted. If the transaction may have committed, only the database knows. */
  mayHaveRows: boolean;
}

/** Null until the bytes are stored. */
export interface InlineSlot {
  bytes: StoredBytes | null;
}

export interface InlineFiles {
  /** A small file is stored while the request is read on. */
  take(body: Readable): Promise<InlineSlot>;
  /** Resolves when all files are stored. */
  stored(): Promise<void>;
  /**
   * Erases files that are not part of the message, which may come from an earlier request with the same
   * Idempotency-Key.
   */
  end(usedIds: string[]): Promise<void>;
  discard(error: unknown): Promise<void>;
}

/**
 * Files stored together share disk flushes and S3 responses. 1,000 files of 10 bytes on two busy cores: 11 instead of
 * 25 s on disk, 78 instead of 167 s on S3.
 */
const smallFileBytes = 64 * 1024;
const filesAtOnce = 32;

export function openInlineFiles(ctx: Ctx, caller: UserCaller): InlineFiles {
  const slots: InlineSlot[] = [];
  const holds: Hold[] = [];
  const storing = createBackground(filesAtOnce);
  let reservation: Reservation | null = null;

  async function store(slot: InlineSlot, reservation: Reservation, body: Readable, onBytes?: Meter): Promise<void> {
    const [id, blobKey, dataKey] = [ctx.random.id(), ctx.random.id(), ctx.random.bytes(32)];
    const hold = holdBlob(ctx, blobKey);
    holds.push(hold);
    const options = onBytes === undefined ? {} : { onBytes };
    const received = await ctx.blobs.receive({ key: blobKey, dataKey, context: `${id}/0` }, body, options);
    slot.bytes = { id, blobKey, dataKey, received, reservation, hold, mayHaveRows: false };
  }

  async function close(isUnused: (bytes: StoredBytes) => boolean): Promise<void> {
    await storing.finish().catch(() => {});
    await eraseAll(ctx, bytesOf(slots).filter(isUnused));
    await Promise.all(holds.map((hold) => hold.end()));
  }

  return {
    async take(body) {
      if (slots.length >= maxFilesTogether) throw tooManyFiles();
      await requireStorageSpace(ctx);
      reservation ??= await reserveQuota(ctx, ownUploader(caller), null);
      const slot: InlineSlot = { bytes: null };
      slots.push(slot);
      const small = await readSmall(body, smallFileBytes);
      if (small === null) {
        await store(slot, reservation, body, reservation.addBytes);
        return slot;
      }
      await reservation.addBytes(small.length);
      const held = reservation;
      await storing.start(() => store(slot, held, Readable.from([small])));
      return slot;
    },
    async stored() {
      await storing.finish();
      await reservation?.reserveRest();
    },
    async end(usedIds) {
      const used = new Set(usedIds);
      const isUsed = (bytes: StoredBytes) => used.has(bytes.id);
      await close((bytes) => !isUsed(bytes));
      if (bytesOf(slots).some(isUsed)) reservation?.finish();
      else await reservation?.cancel();
    },
    async discard(error) {
      await close((bytes) => !bytes.mayHaveRows || wasRolledBack(error));
      await reservation?.cancel();
    },
  };
}

function bytesOf(slots: InlineSlot[]): StoredBytes[] {
  return slots.map((slot) => slot.bytes).filter((bytes) => bytes !== null);
}

/** Null for a larger body, which stays readable. */
async function readSmall(body: Readable, maxBytes: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) break;
  }
  const read = Buffer.concat(pieces);
  if (length <= maxBytes) return read;
  body.unshift(read);
  return null;
}

async function eraseAll(ctx: Ctx, files: StoredBytes[]): Promise<void> {
  const erasing = createBackground(filesAtOnce);
  const leave = (error: unknown) => ctx.log.warn({ err: String(error) }, 'a refused file is left to the sweep');
  for (const { blobKey } of files) await erasing.start(() => ctx.blobs.erase(blobKey).catch(leave));
  await erasing.finish();
}

function tooManyFiles(): Problem {
  return invalid('request.invalid', `A message can have ${maxFilesTogether} files at most.`, 'attachments');
}

export interface InlineFile {
  stored: StoredBytes;
  fileName: string;
  contentType: string;
}

export interface InlineFacts {
  fileName: string;
  contentType: string | undefined;
  checksum: string | undefined;
  crc32: string | undefined;
}

/** Only a 64-digit checksum is a SHA-256; one client sends MD5. */
export async function describeInlineFile(
  caller: UserCaller,
  stored: StoredBytes,
  facts: InlineFacts,
): Promise<InlineFile> {
  const fileName = cleanFileName(facts.fileName);
  const refusal = refuseExtension(caller.policy, fileName);
  if (refusal !== null) throw refusal;
  const { received } = stored;
  if (/^[0-9a-f]{64}$/i.test(facts.checksum ?? '') && facts.checksum!.toLowerCase() !== received.sha256) {
    throw invalid(
      'attachment.checksum_mismatch',
      `The checksum of "${fileName}" doesn’t match its data. It was not received as you sent it.`,
      'checksum',
    ).withValues({ file: fileName });
  }
  if (/^[0-9a-f]{1,8}$/i.test(facts.crc32 ?? '') && Number.parseInt(facts.crc32!, 16) !== received.crc32) {
    throw invalid(
      'attachment.checksum_mismatch',
      `The CRC-32 of "${fileName}" doesn’t match its data. It was not received as you sent it.`,
      'crc32',
    ).withValues({ file: fileName });
  }
  const contentType = usefulContentType(facts.contentType) ?? (await detectContentType(received.head, fileName));
  return { stored, fileName, contentType };
}

export function heldFileOf({ stored, fileName, contentType }: InlineFile, scanState: ScanState): HeldFile {
  const { sizeBytes, sha256, crc32 } = stored.received;
  return {
    attachmentId: stored.id,
    fileName,
    sizeBytes,
    contentType,
    sha256,
    crc32: crc32Hex(crc32),
    state: 'ready',
    scanState,
    isFromOutside: false,
  };
}

export async function adoptInlineFiles(ctx: Ctx, tx: Tx, caller: UserCaller, files: InlineFile[]): Promise<void> {
  if (files.length === 0) return;
  for (const { stored, fileName, contentType } of files) {
    stored.mayHaveRows = true;
    const facts = { ownerId: caller.userId, source: '', fileName, contentType, isHeld: true };
    await insertUploadedFile(ctx, tx, caller, { ...stored, ...facts });
  }
  const sizeBytes = files.reduce((sum, { stored }) => sum + stored.received.sizeBytes, 0);
  if (!(await addStoredBytes(tx, { ownerId: caller.userId, source: '' }, sizeBytes))) throw switchedOff();
  for (const reservation of new Set(files.map(({ stored }) => stored.reservation))) await reservation.release(tx);
}
