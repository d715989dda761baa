// Finds, opens and ends the uploads that chunks belong to (docs/adr/0004).

import type { Tx } from '../../db/schema/schema.ts';
import { addStoredBytes } from '../../db/storage/stored-bytes.ts';
import { listParts, releaseParts } from '../../db/uploads/parts.ts';
import {
  findOpenUploadByName,
  findUpload,
  findUploadCompletedBy,
  forgetLastPart,
  insertUpload,
  setUploadState,
  type UploadIdentity,
} from '../../db/uploads/uploads.ts';
import type { Uploader } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import type { Upload } from '../../domain/uploads.ts';
import type { Ctx } from '../context.ts';
import { assertFewWaiting } from '../submissions/limits.ts';
import { requireOpen } from '../system/maintenance.ts';

export interface OpenUploadInput {
  family: Upload['family'];
  fileName: string;
  declaredType: string | null;
  chunks: number;
  /** An id, `new`, or null to find it by name. */
  uploadId: string | null;
}

export async function openUpload(ctx: Ctx, uploader: Uploader, wanted: OpenUploadInput): Promise<Upload> {
  if (wanted.uploadId !== null && wanted.uploadId !== 'new') {
    const upload = await getUpload(ctx, uploader, wanted.uploadId);
    assertSame(upload, wanted);
    return upload;
  }
  const identity = identityOf(ctx, uploader, wanted);
  const isNamed = wanted.uploadId === null;
  // Of two concurrent inserts, one finds the other's row.
  for (let attempt = 0; attempt < 3; attempt++) {
    const open = isNamed ? await findOpenUploadByName(ctx.db.read, identity) : null;
    if (open !== null) return open;
    requireOpen(ctx, uploader.caller);
    const created = await createUpload(ctx, uploader, identity, wanted);
    if (created !== null) return created;
  }
  throw invalid('upload.conflict', 'Another upload with this name is starting. Try again.');
}

function identityOf(ctx: Ctx, uploader: Uploader, wanted: OpenUploadInput): UploadIdentity {
  return {
    ownerId: uploader.ownerId,
    source: uploader.source,
    family: wanted.family,
    nameLookup: ctx.keys.hash('file-name', `${uploader.ownerId}\0${wanted.fileName}`),
    chunks: wanted.chunks,
  };
}

/** How long a client may repeat the chunk that completed a file (docs/adr/0004). */
const lastChunkRetryMs = 3_600_000;

/** The completed upload whose last chunk this may repeat; null for clients that send an upload id. */
export async function findCompletedBy(
  ctx: Ctx,
  uploader: Uploader,
  wanted: OpenUploadInput,
  number: number,
): Promise<Upload | null> {
  if (wanted.uploadId !== null) return null;
  const identity = identityOf(ctx, uploader, wanted);
  if ((await findOpenUploadByName(ctx.db.read, identity)) !== null) return null;
  return findUploadCompletedBy(ctx.db.read, identity, number, ctx.clock.now() - lastChunkRetryMs);
}

async function getUpload(ctx: Ctx, uploader: Uploader, id: string): Promise<Upload> {
  const upload = await findUpload(ctx.db.read, id);
  const isTheirs = upload?.ownerId === uploader.ownerId && upload.source === uploader.source;
  if (!isTheirs || upload.state === 'abandoned') throw notFound('upload');
  return upload;
}

function assertSame(upload: Upload, wanted: OpenUploadInput): void {
  if (upload.chunks === wanted.chunks && upload.family === wanted.family && upload.fileName === wanted.fileName) return;
  throw invalid(
    'upload.mismatch',
    'This upload was begun with another file name or another number of pieces.',
    'upload_id',
  );
}

/** Null when a concurrent request created it. */
function createUpload(
  ctx: Ctx,
  uploader: Uploader,
  identity: UploadIdentity,
  wanted: OpenUploadInput,
): Promise<Upload | null> {
  const id = ctx.random.id();
  const upload = {
    ...identity,
    id,
    fileName: wanted.fileName,
    isNamed: wanted.uploadId === null,
    declaredType: wanted.declaredType,
    dataKey: ctx.keys.files.wrap(ctx.random.bytes(32), id),
    now: ctx.clock.now(),
  };
  return ctx.db.write(async (tx) => {
    await assertFewWaiting(tx, uploader);
    if (upload.isNamed) await forgetLastPart(tx, identity);
    return insertUpload(tx, upload);
  });
}

export interface UploadState {
  id: string;
  fileName: string;
  chunks: number;
  received: number[];
  receivedBytes: number;
  state: Exclude<Upload['state'], 'abandoned'>;
  expiresAt: number;
}

export async function getUploadState(ctx: Ctx, uploader: Uploader, id: string): Promise<UploadState> {
  const upload = await getUpload(ctx, uploader, id);
  const parts = await listParts(ctx.db.read, id);
  return {
    id,
    fileName: upload.fileName,
    chunks: upload.chunks,
    received: parts.map((part) => part.number),
    receivedBytes: upload.receivedBytes,
    state: upload.state as UploadState['state'],
    expiresAt: upload.activeAt + ctx.settings.surroundings.unfinishedTtlMs,
  };
}

/** Destroys the key now, the bytes later. False when it was no longer open. */
export async function abandonUpload(
  ctx: Ctx,
  tx: Tx,
  upload: Pick<Upload, 'id' | 'ownerId' | 'source'>,
): Promise<boolean> {
  if (!(await setUploadState(tx, upload.id, ['open'], 'abandoned'))) return false;
  await addStoredBytes(tx, upload, -(await releaseParts(tx, upload.id, ctx.clock.now())));
  return true;
}
