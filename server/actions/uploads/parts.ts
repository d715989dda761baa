// Storing one received piece: who wins when the same number comes twice, what counts as a repetition and what as a
// conflict, and which piece completes the file (state machine SM1, invariants I2–I5).
import type { PartsTable, Tx, UploadsTable } from '../../db/schema.ts';
import { addStoredBytes } from '../../db/stored-bytes.ts';
import {
  countPart,
  deletePart,
  deleteParts,
  findPart,
  findUpload,
  insertPart,
  listParts,
  lockUpload,
  markConflict,
  queueErasures,
  resetUpload,
  sealUpload,
  setTypes,
  touchUpload,
} from '../../db/uploads.ts';
import { uploadIdleMs } from '../../domain/attachments.ts';
import { switchedOff } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';

export interface ReceivedPart extends PartsTable {
  /** When the session was begun that this piece was received for; a session started over has another beginning. */
  sessionBegunAt: number;
  declaredType: string | null;
  /** Known for the first piece only. */
  detectedType: string | null;
}

export type PartOutcome =
  | { kind: 'stored' }
  | { kind: 'repeated'; isComplete: boolean }
  | { kind: 'conflict' }
  | { kind: 'closed' }
  | { kind: 'sealed'; upload: UploadsTable; parts: PartsTable[] };

/** One transaction's worth. The caller acts on the outcome after the commit. */
export async function storePart(ctx: Ctx, tx: Tx, ownerId: string, part: ReceivedPart): Promise<PartOutcome> {
  const isNew = await insertPart(tx, rowOf(part));
  const session = { id: part.upload_id, begunAt: part.sessionBegunAt };
  if (isNew && (await countPart(tx, session, part.size_bytes, ctx.clock.now()))) return finishStored(tx, ownerId, part);
  const upload = await lockUpload(tx, part.upload_id);
  if (isNew) await deletePart(tx, part.upload_id, part.number);
  if (upload === undefined) return { kind: 'closed' };
  return storeDisputed(ctx, tx, ownerId, part, upload);
}

/** The number is taken, or the session is closed, disputed or another one than when the piece was begun. */
async function storeDisputed(
  ctx: Ctx,
  tx: Tx,
  ownerId: string,
  part: ReceivedPart,
  upload: UploadsTable,
): Promise<PartOutcome> {
  const now = ctx.clock.now();
  const stored = await findPart(tx, part.upload_id, part.number);
  const isSame = stored !== undefined && stored.sha256 === part.sha256 && stored.size_bytes === part.size_bytes;
  if (upload.created_at !== part.sessionBegunAt) return { kind: 'closed' };
  if (upload.state === 'sealing' || upload.state === 'ready')
    return isSame ? { kind: 'repeated', isComplete: true } : { kind: 'conflict' };
  if (upload.state !== 'open') return { kind: 'closed' };
  if (isSame && upload.has_conflict === 0) {
    await touchUpload(tx, upload.id, now);
    return { kind: 'repeated', isComplete: false };
  }
  // A disputed session takes nothing more, from neither side, until both have been silent: no mixture, and nobody
  // goes on sending to an upload that can not become a file.
  if (upload.active_at + uploadIdleMs > now) {
    await markConflict(tx, upload.id);
    return { kind: 'conflict' };
  }
  await startOver(tx, upload, now);
  await insertPart(tx, rowOf(part));
  await countPart(tx, { id: upload.id, begunAt: now }, part.size_bytes, now);
  return finishStored(tx, ownerId, part);
}

/**
 * An upload in conflict takes nothing more, and says so before the body comes. After a minute of rest the next piece
 * starts it over. Answers the session as it is then.
 */
export async function leaveConflict(ctx: Ctx, upload: UploadsTable): Promise<UploadsTable> {
  if (upload.has_conflict === 0) return upload;
  return ctx.db.write(async (tx) => {
    const current = await lockUpload(tx, upload.id);
    if (current === undefined || current.state !== 'open') throw uploadClosed();
    if (current.has_conflict === 0) return current;
    const now = ctx.clock.now();
    if (current.active_at + uploadIdleMs > now) throw uploadConflict();
    await startOver(tx, current, now);
    return (await findUpload(tx, upload.id))!;
  });
}

async function finishStored(tx: Tx, ownerId: string, part: ReceivedPart): Promise<PartOutcome> {
  await setTypes(tx, part.upload_id, {
    ...(part.declaredType === null ? {} : { declared: part.declaredType }),
    ...(part.detectedType === null ? {} : { detected: part.detectedType }),
  });
  if (!(await addStoredBytes(tx, ownerId, part.size_bytes))) throw switchedOff();
  if (!(await sealUpload(tx, part.upload_id))) return { kind: 'stored' };
  const upload = (await findUpload(tx, part.upload_id))!;
  return { kind: 'sealed', upload, parts: await listParts(tx, part.upload_id) };
}

/** An abandoned try of the same name gives way to a new one. */
async function startOver(tx: Tx, upload: UploadsTable, now: number): Promise<void> {
  const parts = await listParts(tx, upload.id);
  await resetUpload(tx, upload.id, now);
  await deleteParts(tx, upload.id);
  await queueErasures(
    tx,
    parts.map((old) => old.blob_key),
    now,
  );
  await addStoredBytes(tx, upload.owner_id, -parts.reduce((sum, old) => sum + old.size_bytes, 0));
}

function rowOf(part: ReceivedPart): PartsTable {
  return {
    upload_id: part.upload_id,
    number: part.number,
    blob_key: part.blob_key,
    size_bytes: part.size_bytes,
    sha256: part.sha256,
    crc32: part.crc32,
  };
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
