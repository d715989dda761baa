// Turning a complete set of pieces into an attachment. The row is made in the transaction that sealed the upload; the
// checksum of the whole is known then, or computed afterwards by reading the file once.
import { createHash } from 'node:crypto';
import { finishAttachment, insertAttachment, setAttachmentState } from '../../db/attachments.ts';
import type { AttachmentsTable, PartsTable, Tx, UploadsTable } from '../../db/schema.ts';
import { listParts, setUploadState } from '../../db/uploads.ts';
import { unboundLifetimeMs } from '../../domain/attachments.ts';
import { type Caller, systemCaller } from '../../domain/caller.ts';
import { BlobDamaged, BlobMissing } from '../../domain/ports.ts';
import { crc32Combine, crc32Hex } from '../../lib/crc32.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { forgetChain } from './running-hashes.ts';

export interface NewAttachment {
  id: string;
  ownerId: string;
  source: string;
  nameSealed: Buffer;
  sizeBytes: number;
  contentType: string;
  /** Null while it still has to be computed. */
  sha256: string | null;
  crc32: string;
  dataKeyWrapped: Buffer;
  keyId: number;
}

/** The row of a new file and its event; bytes and parts are durable already. */
export async function createAttachment(ctx: Ctx, tx: Tx, caller: Caller, file: NewAttachment): Promise<void> {
  const now = ctx.clock.now();
  const row: AttachmentsTable = {
    id: file.id,
    owner_id: file.ownerId,
    source: file.source,
    name_sealed: file.nameSealed,
    size_bytes: file.sizeBytes,
    content_type: file.contentType,
    sha256: file.sha256 ?? '',
    crc32: file.crc32,
    state: file.sha256 === null ? 'sealing' : 'ready',
    reference_count: 0,
    data_key_wrapped: file.dataKeyWrapped,
    key_encryption_key_id: file.keyId,
    created_at: now,
    processed_at: file.sha256 === null ? null : now,
    erase_after_uptime: ctx.clock.uptime() + unboundLifetimeMs,
  };
  await insertAttachment(tx, row);
  await record(ctx, tx, caller, {
    action: 'attachment.uploaded',
    object: { kind: 'attachment', id: file.id },
    ownerId: file.ownerId,
    facts: { size: file.sizeBytes, sha256: file.sha256 ?? '' },
  });
}

/** Makes the attachment of a sealed upload, in the transaction that sealed it. */
export async function attachSealed(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  upload: UploadsTable,
  parts: PartsTable[],
  sha256: string | null,
): Promise<void> {
  await createAttachment(ctx, tx, caller, {
    id: upload.id,
    ownerId: upload.owner_id,
    source: upload.source,
    nameSealed: upload.name_sealed,
    sizeBytes: parts.reduce((sum, part) => sum + part.size_bytes, 0),
    contentType: upload.declared_type ?? upload.detected_type ?? 'application/octet-stream',
    sha256,
    crc32: crc32Hex(parts.reduce((crc, part) => crc32Combine(crc, part.crc32, part.size_bytes), 0)),
    dataKeyWrapped: upload.data_key_wrapped!,
    keyId: upload.key_encryption_key_id,
  });
  if (sha256 !== null) await setUploadState(tx, upload.id, ['sealing'], 'ready');
}

/** Reads the whole file once and finishes it. Also run by a job for uploads a crash left behind. */
export async function finishSealing(ctx: Ctx, upload: UploadsTable): Promise<void> {
  forgetChain(ctx, upload.id);
  const dataKey = ctx.keys.files.unwrap(upload.data_key_wrapped!, upload.key_encryption_key_id, upload.id);
  const hash = createHash('sha256');
  try {
    for (const part of await listParts(ctx.db.read, upload.id)) {
      const blob = { key: part.blob_key, dataKey, context: `${upload.id}/${part.number}` };
      for await (const bytes of ctx.blobs.read(blob, { start: 0, end: part.size_bytes })) hash.update(bytes);
    }
  } catch (error) {
    if (!(error instanceof BlobDamaged) && !(error instanceof BlobMissing)) throw error;
    ctx.log.error({ err: String(error), upload: upload.id.slice(0, 6) }, 'a finished upload can not be read back');
    await ctx.db.write(async (tx) => {
      await setAttachmentState(tx, upload.id, 'failed');
      await setUploadState(tx, upload.id, ['sealing'], 'failed');
    });
    return;
  }
  const sha256 = hash.digest('hex');
  await ctx.db.write(async (tx) => {
    if (!(await finishAttachment(tx, upload.id, sha256, ctx.clock.now()))) return;
    await setUploadState(tx, upload.id, ['sealing'], 'ready');
    await record(ctx, tx, systemCaller, {
      action: 'attachment.processed',
      object: { kind: 'attachment', id: upload.id },
      ownerId: upload.owner_id,
      facts: { sha256 },
    });
  });
}
