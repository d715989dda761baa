// Stores one received chunk: resolves concurrent chunks with the same number, and detects the last one.

import type { Tx } from '../../db/schema/schema.ts';
import { addStoredBytes } from '../../db/storage/stored-bytes.ts';
import { deletePart, findPart, insertPart, listParts, releaseParts } from '../../db/uploads/parts.ts';
import {
  countPart,
  findUpload,
  lockUpload,
  markConflict,
  resetUpload,
  sealUpload,
  setTypes,
  touchUpload,
} from '../../db/uploads/uploads.ts';
import { uploadIdleMs } from '../../domain/attachments.ts';
import { switchedOff } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import type { Part, Upload } from '../../domain/uploads.ts';
import type { Ctx } from '../context.ts';

export interface ReceivedPart extends Part {
  ownerId: string;
  source: string;
  /** Starting over changes it. */
  uploadBegunAt: number;
  declaredType: string | null;
  /** Set for the first chunk only. */
  detectedType: string | null;
}

export type PartOutcome =
  | { kind: 'stored' }
  | { kind: 'repeated'; isComplete: boolean }
  | { kind: 'conflict' }
  | { kind: 'closed' }
  | { kind: 'sealed'; upload: Upload; parts: Part[] };

/** The caller acts on the outcome after the commit. */
export async function storePart(ctx: Ctx, tx: Tx, part: ReceivedPart): Promise<PartOutcome> {
  const isNew = await insertPart(tx, part);
  const begun = { id: part.uploadId, begunAt: part.uploadBegunAt };
  if (isNew && (await countPart(tx, begun, part.sizeBytes, ctx.clock.now()))) return finishStored(tx, part);
  const upload = await lockUpload(tx, part.uploadId);
  if (isNew) await deletePart(tx, part.uploadId, part.number);
  if (upload === null) return { kind: 'closed' };
  return storeConflicting(ctx, tx, part, upload);
}

/** The number is taken, or the upload is closed, in conflict, or was started over. */
async function storeConflicting(ctx: Ctx, tx: Tx, part: ReceivedPart, upload: Upload): Promise<PartOutcome> {
  const now = ctx.clock.now();
  const stored = await findPart(tx, part.uploadId, part.number);
  const isSame = stored !== null && stored.sha256 === part.sha256 && stored.sizeBytes === part.sizeBytes;
  if (upload.begunAt !== part.uploadBegunAt) return { kind: 'closed' };
  if (upload.state === 'sealing' || upload.state === 'ready')
    return isSame ? { kind: 'repeated', isComplete: true } : { kind: 'conflict' };
  if (upload.state !== 'open') return { kind: 'closed' };
  if (isSame && !upload.hasConflict) {
    await touchUpload(tx, upload.id, now);
    return { kind: 'repeated', isComplete: false };
  }
  // Chunks of two clients must never mix.
  if (upload.activeAt + uploadIdleMs > now) {
    await markConflict(tx, upload.id);
    return { kind: 'conflict' };
  }
  await startOver(tx, upload, now);
  await insertPart(tx, part);
  await countPart(tx, { id: upload.id, begunAt: now }, part.sizeBytes, now);
  return finishStored(tx, part);
}

/** Refuses before the body is read. After a minute of silence, starts the upload over and returns it. */
export async function resolveConflict(ctx: Ctx, upload: Upload): Promise<Upload> {
  if (!upload.hasConflict) return upload;
  return ctx.db.write(async (tx) => {
    const current = await lockUpload(tx, upload.id);
    if (current === null || current.state !== 'open') throw uploadClosed();
    if (!current.hasConflict) return current;
    const now = ctx.clock.now();
    if (current.activeAt + uploadIdleMs > now) throw uploadConflict();
    await startOver(tx, current, now);
    return (await findUpload(tx, upload.id))!;
  });
}

async function finishStored(tx: Tx, part: ReceivedPart): Promise<PartOutcome> {
  await setTypes(tx, part.uploadId, { declared: part.declaredType, detected: part.detectedType });
  if (!(await addStoredBytes(tx, part, part.sizeBytes))) throw switchedOff();
  if (!(await sealUpload(tx, part.uploadId, part.number))) return { kind: 'stored' };
  const upload = (await findUpload(tx, part.uploadId))!;
  return { kind: 'sealed', upload, parts: await listParts(tx, part.uploadId) };
}

async function startOver(tx: Tx, upload: Upload, now: number): Promise<void> {
  await resetUpload(tx, upload.id, now);
  await addStoredBytes(tx, upload, -(await releaseParts(tx, upload.id, now)));
}

export function uploadConflict() {
  return invalid(
    'upload.conflict',
    'Another upload with this name is running. Wait a minute, use another name, or send an upload_id.',
  );
}

export function uploadClosed() {
  return invalid('upload.closed', 'This upload has ended. Start again.');
}
