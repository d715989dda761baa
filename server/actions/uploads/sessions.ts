// Finding, opening and ending the sessions that pieces belong to (state machine SM1, docs/adr/0004).
import type { Tx, UploadsTable } from '../../db/schema.ts';
import { addStoredBytes } from '../../db/stored-bytes.ts';
import {
  deleteParts,
  findOpenUploadByName,
  findUpload,
  insertUpload,
  listParts,
  queueErasures,
  setUploadState,
} from '../../db/uploads.ts';
import type { Uploader } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';

export interface SessionWanted {
  family: 'message' | 'link';
  fileName: string;
  declaredType: string | null;
  chunks: number;
  /** An id, `new` for a session of one's own, or null to find it by name as old clients expect. */
  uploadId: string | null;
}

/** The session a piece belongs to; opened if there is none. */
export async function openSession(ctx: Ctx, uploader: Uploader, wanted: SessionWanted): Promise<UploadsTable> {
  if (wanted.uploadId !== null && wanted.uploadId !== 'new') return getSession(ctx, uploader, wanted, wanted.uploadId);
  const identity = {
    ownerId: uploader.ownerId,
    source: uploader.source,
    family: wanted.family,
    nameLookup: ctx.keys.hash('file-name', `${uploader.ownerId}\0${wanted.fileName}`),
    chunks: wanted.chunks,
  };
  const isNamed = wanted.uploadId === null;
  // Two first pieces may race; the loser of the insert finds the winner's row.
  for (let attempt = 0; attempt < 3; attempt++) {
    const open = isNamed ? await findOpenUploadByName(ctx.db.read, identity) : undefined;
    if (open !== undefined) return open;
    const created = await ctx.db.write((tx) => createSession(ctx, tx, uploader, wanted, identity.nameLookup, isNamed));
    if (created !== null) return created;
  }
  throw invalid('upload.conflict', 'Another upload with this name is starting. Try again.');
}

async function getSession(ctx: Ctx, uploader: Uploader, wanted: SessionWanted, id: string): Promise<UploadsTable> {
  const session = await findUpload(ctx.db.read, id);
  if (
    session === undefined ||
    session.owner_id !== uploader.ownerId ||
    session.source !== uploader.source ||
    session.state === 'abandoned'
  )
    throw notFound('upload');
  const name = ctx.keys.openText('name', session.name_sealed, session.id);
  if (session.chunks !== wanted.chunks || session.family !== wanted.family || name !== wanted.fileName) {
    throw invalid(
      'upload.mismatch',
      'This upload was begun with another file name or another number of pieces.',
      'upload_id',
    );
  }
  return session;
}

async function createSession(
  ctx: Ctx,
  tx: Tx,
  uploader: Uploader,
  wanted: SessionWanted,
  nameLookup: Buffer,
  isNamed: boolean,
): Promise<UploadsTable | null> {
  const id = ctx.random.id();
  const now = ctx.clock.now();
  const row: UploadsTable = {
    id,
    owner_id: uploader.ownerId,
    source: uploader.source,
    family: wanted.family,
    name_lookup: nameLookup,
    name_sealed: ctx.keys.sealText('name', wanted.fileName, id),
    is_named: isNamed ? 1 : 0,
    declared_type: wanted.declaredType,
    detected_type: null,
    chunks: wanted.chunks,
    state: 'open',
    part_count: 0,
    received_bytes: 0,
    has_conflict: 0,
    data_key_wrapped: ctx.keys.files.wrap(ctx.random.bytes(32), id),
    key_encryption_key_id: ctx.keys.files.currentId,
    created_at: now,
    active_at: now,
  };
  return (await insertUpload(tx, row)) ? row : null;
}

export interface UploadState {
  id: string;
  fileName: string;
  chunks: number;
  received: number[];
  receivedBytes: number;
  state: 'open' | 'sealing' | 'ready' | 'failed';
  expiresAt: number;
}

/** Which pieces have arrived, for a client that wants to go on after a break (additive). */
export async function getUploadState(ctx: Ctx, uploader: Uploader, id: string): Promise<UploadState> {
  const session = await findUpload(ctx.db.read, id);
  if (
    session === undefined ||
    session.owner_id !== uploader.ownerId ||
    session.source !== uploader.source ||
    session.state === 'abandoned'
  )
    throw notFound('upload');
  const parts = await listParts(ctx.db.read, id);
  return {
    id,
    fileName: ctx.keys.openText('name', session.name_sealed, id),
    chunks: session.chunks,
    received: parts.map((part) => part.number),
    receivedBytes: session.received_bytes,
    state: session.state,
    expiresAt: session.active_at + ctx.settings.surroundings.unfinishedTtlMs,
  };
}

/** Ends an unfinished upload: its key is destroyed now, its bytes follow. False when it was no longer open. */
export async function abandonUpload(
  ctx: Ctx,
  tx: Tx,
  session: Pick<UploadsTable, 'id' | 'owner_id'>,
): Promise<boolean> {
  if (!(await setUploadState(tx, session.id, ['open'], 'abandoned'))) return false;
  const parts = await listParts(tx, session.id);
  await deleteParts(tx, session.id);
  await queueErasures(
    tx,
    parts.map((part) => part.blob_key),
    ctx.clock.now(),
  );
  await addStoredBytes(tx, session.owner_id, -parts.reduce((sum, part) => sum + part.size_bytes, 0));
  return true;
}
