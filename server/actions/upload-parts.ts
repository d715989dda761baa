// Storing one received piece: who wins when the same number comes twice, what counts as a repetition and what as a
// conflict, and which piece completes the file (state machine SM1, invariants I2–I5).
import type { PartsTable, Tx, UploadsTable } from '../db/schema.ts';
import {
  countPart,
  deleteParts,
  findPart,
  findUpload,
  insertPart,
  listParts,
  markConflict,
  queueErasures,
  resetUpload,
  sealUpload,
  setTypes,
  touchUpload,
} from '../db/uploads.ts';
import { addStoredBytes } from '../db/users.ts';
import { uploadIdleMs } from '../domain/attachments.ts';
import { switchedOff } from '../domain/caller.ts';
import { invalid } from '../domain/problem.ts';
import type { Ctx } from './context.ts';
import { forgetChain } from './running-hashes.ts';

export interface ReceivedPart extends PartsTable {
  declaredType: string | null;
  /** Known for the first piece only. */
  detectedType: string | null;
}

export type PartOutcome =
  | { kind: 'stored' }
  | { kind: 'repeated' }
  | { kind: 'conflict' }
  | { kind: 'sealed'; upload: UploadsTable; parts: PartsTable[] };

/** One transaction's worth. The caller acts on the outcome after the commit. */
export async function storePart(ctx: Ctx, tx: Tx, ownerId: string, part: ReceivedPart): Promise<PartOutcome> {
  const row: PartsTable = {
    upload_id: part.upload_id,
    number: part.number,
    blob_key: part.blob_key,
    size_bytes: part.size_bytes,
    sha256: part.sha256,
    crc32: part.crc32,
  };
  if (await insertPart(tx, row)) return countStored(ctx, tx, ownerId, part);
  const now = ctx.clock.now();
  const stored = await findPart(tx, part.upload_id, part.number);
  if (stored !== undefined && stored.sha256 === part.sha256 && stored.size_bytes === part.size_bytes) {
    await touchUpload(tx, part.upload_id, now);
    return { kind: 'repeated' };
  }
  const upload = await findUpload(tx, part.upload_id);
  const isIdle = upload !== undefined && upload.active_at + uploadIdleMs <= now;
  if (isIdle && (await startOver(ctx, tx, upload, now))) {
    await insertPart(tx, row);
    return countStored(ctx, tx, ownerId, part);
  }
  await markConflict(tx, part.upload_id);
  return { kind: 'conflict' };
}

async function countStored(ctx: Ctx, tx: Tx, ownerId: string, part: ReceivedPart): Promise<PartOutcome> {
  if (!(await countPart(tx, part.upload_id, part.size_bytes, ctx.clock.now()))) {
    const upload = await findUpload(tx, part.upload_id);
    throw upload?.state === 'open' ? uploadConflict() : uploadClosed();
  }
  await setTypes(tx, part.upload_id, {
    ...(part.declaredType === null ? {} : { declared: part.declaredType }),
    ...(part.detectedType === null ? {} : { detected: part.detectedType }),
  });
  if (!(await addStoredBytes(tx, ownerId, part.size_bytes))) throw switchedOff();
  if (!(await sealUpload(tx, part.upload_id))) return { kind: 'stored' };
  const upload = (await findUpload(tx, part.upload_id))!;
  return { kind: 'sealed', upload, parts: await listParts(tx, part.upload_id) };
}

/** An upload in conflict takes nothing more. After a minute of rest the next piece starts it over. */
export async function leaveConflict(ctx: Ctx, upload: UploadsTable): Promise<void> {
  if (upload.has_conflict === 0) return;
  const now = ctx.clock.now();
  if (upload.active_at + uploadIdleMs > now) throw uploadConflict();
  await ctx.db.write((tx) => startOver(ctx, tx, upload, now));
}

/** An abandoned try of the same name gives way to a new one. */
async function startOver(ctx: Ctx, tx: Tx, upload: UploadsTable, now: number): Promise<boolean> {
  if (!(await resetUpload(tx, upload.id, upload.active_at, now))) return false;
  const parts = await listParts(tx, upload.id);
  await deleteParts(tx, upload.id);
  await queueErasures(
    tx,
    parts.map((old) => old.blob_key),
    now,
  );
  await addStoredBytes(tx, upload.owner_id, -parts.reduce((sum, old) => sum + old.size_bytes, 0));
  forgetChain(ctx, upload.id);
  return true;
}

export function uploadConflict() {
  return invalid(
    'upload.conflict',
    'Another upload with this name is running. Wait a minute, use another name, or send an upload_id.',
  );
}

function uploadClosed() {
  return invalid('upload.closed', 'This upload has ended. Start again.');
}
