// Turns a complete set of chunks into an attachment; its checksum is known immediately, or computed later by reading
// the file once.
import { createHash } from 'node:crypto';
import {
  finishAttachment,
  insertAttachment,
  type NewFile,
  setAttachmentState,
} from '../../db/attachments/attachments.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { listParts } from '../../db/uploads/parts.ts';
import { setUploadState, touchSealing } from '../../db/uploads/uploads.ts';
import { unboundLifetimeMs } from '../../domain/attachments.ts';
import { type Caller, systemCaller } from '../../domain/caller.ts';
import { BlobDamaged, BlobMissing, type ByteRange } from '../../domain/ports.ts';
import type { Part, Upload } from '../../domain/uploads.ts';
import { crc32Combine, crc32Hex } from '../../lib/crc32.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { requestScanOfNew } from '../scanning/requests.ts';
import { dropChain } from './running-hashes.ts';

export type NewAttachment = Omit<NewFile, 'now' | 'eraseAfterUptime' | 'scanState'>;

/** Bytes and parts MUST be durable already. */
export async function createAttachment(ctx: Ctx, tx: Tx, caller: Caller, file: NewAttachment): Promise<void> {
  const eraseAfterUptime = ctx.clock.uptime() + unboundLifetimeMs;
  const scanState = await requestScanOfNew(ctx, tx, caller, file);
  await insertAttachment(tx, { ...file, scanState, now: ctx.clock.now(), eraseAfterUptime });
  await record(ctx, tx, caller, {
    action: 'attachment.uploaded',
    object: { kind: 'attachment', id: file.id },
    ownerId: file.ownerId,
    facts: { size: file.sizeBytes, sha256: file.sha256 ?? '' },
  });
}

export interface SealedUpload {
  upload: Upload;
  parts: Part[];
  /** Null until it is computed. */
  sha256: string | null;
}

/** Runs in the transaction that sealed the upload. */
export async function attachSealed(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { upload, parts, sha256 }: SealedUpload,
): Promise<void> {
  await createAttachment(ctx, tx, caller, {
    id: upload.id,
    ownerId: upload.ownerId,
    source: upload.source,
    fileName: upload.fileName,
    sizeBytes: parts.reduce((sum, part) => sum + part.sizeBytes, 0),
    contentType: upload.declaredType ?? upload.detectedType ?? 'application/octet-stream',
    sha256,
    crc32: crc32Hex(parts.reduce((crc, part) => crc32Combine(crc, part.crc32, part.sizeBytes), 0)),
    dataKey: upload.dataKey!,
    isHeld: false,
  });
  if (sha256 !== null) await setUploadState(tx, upload.id, ['sealing'], 'ready');
}

/** Keyed by the clock, which a job shares with its service. */
const underWay = new WeakMap<Ctx['clock'], Set<string>>();

function underWayIn(ctx: Ctx): Set<string> {
  const ids = underWay.get(ctx.clock) ?? new Set();
  underWay.set(ctx.clock, ids);
  return ids;
}

/** Another process resumes uploads that are not marked. */
export async function renewSealing(ctx: Ctx): Promise<void> {
  const ids = [...underWayIn(ctx)];
  if (ids.length > 0) await ctx.db.write((tx) => touchSealing(tx, ids, ctx.clock.now()));
}

/** A job runs it for uploads that a crash left behind. */
export async function finishSealing(ctx: Ctx, upload: Upload): Promise<void> {
  const ids = underWayIn(ctx).add(upload.id);
  try {
    await readAndFinish(ctx, upload);
  } finally {
    ids.delete(upload.id);
  }
}

async function readAndFinish(ctx: Ctx, upload: Upload): Promise<void> {
  dropChain(ctx, upload.id);
  const sha256 = await hashStored(ctx, upload).catch(async (error: unknown) => {
    if (!(error instanceof BlobMissing)) throw error;
    // An unreachable store has lost nothing.
    await ctx.blobs.assertOwn();
    ctx.log.error({ upload: upload.id.slice(0, 6) }, 'a finished upload is not in the store');
    return null;
  });
  await ctx.db.write(async (tx) => {
    if (sha256 === null) {
      await setAttachmentState(tx, upload.id, 'failed');
      await setUploadState(tx, upload.id, ['sealing'], 'failed');
      return;
    }
    if (!(await finishAttachment(tx, upload.id, sha256, ctx.clock.now()))) return;
    await setUploadState(tx, upload.id, ['sealing'], 'ready');
    await record(ctx, tx, systemCaller, {
      action: 'attachment.processed',
      object: { kind: 'attachment', id: upload.id },
      ownerId: upload.ownerId,
      facts: { sha256 },
    });
  });
}

/** The whole file, in order and in constant memory. */
export async function* readStored(ctx: Ctx, { id, dataKey: wrapped }: Pick<Upload, 'id' | 'dataKey'>) {
  const dataKey = ctx.keys.files.unwrap(wrapped!, id);
  for (const part of await listParts(ctx.db.read, id)) {
    const blob = { key: part.blobKey, dataKey, context: `${id}/${part.number}` };
    yield* ctx.blobs.read(blob, { start: 0, end: part.sizeBytes });
  }
}

/** For short ranges. */
export async function readStoredRange(
  ctx: Ctx,
  { id, dataKey: wrapped }: Pick<Upload, 'id' | 'dataKey'>,
  { start, end }: ByteRange,
): Promise<Buffer> {
  const dataKey = ctx.keys.files.unwrap(wrapped!, id);
  const found: Buffer[] = [];
  let at = 0;
  for (const part of await listParts(ctx.db.read, id)) {
    const range = { start: Math.max(0, start - at), end: Math.min(part.sizeBytes, end - at) };
    const blob = { key: part.blobKey, dataKey, context: `${id}/${part.number}` };
    if (range.start < range.end) for await (const bytes of ctx.blobs.read(blob, range)) found.push(Buffer.from(bytes));
    at += part.sizeBytes;
  }
  return Buffer.concat(found);
}

/** Null when the bytes are damaged. Rejects with `BlobMissing` when a part is missing. */
export async function hashStored(ctx: Ctx, upload: Pick<Upload, 'id' | 'dataKey'>): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of readStored(ctx, upload)) hash.update(bytes);
    return hash.digest('hex');
  } catch (error) {
    if (!(error instanceof BlobDamaged)) throw error;
    ctx.log.error({ err: String(error), upload: upload.id.slice(0, 6) }, 'a stored file is damaged');
    return null;
  }
}
