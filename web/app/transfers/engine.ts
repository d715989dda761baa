// The inside of transfers.ts: one engine of transfer/ for each kind of upload the API has, the batches files belong to,
// and what is kept in this browser so that they can be resumed after a reload. Knows no screen and says nothing.
import { createTransfers, type Transfers } from '../../../transfer/engine.ts';
import type { FileSource } from '../../../transfer/ports.ts';
import { isSameFile, type Limits, refusalOf } from '../../../transfer/rules.ts';
import type { FileStatus, SavedUpload, TransferEvent } from '../../../transfer/states.ts';
import { timers } from '../../../transfer/timers.ts';
import { type NotReopened, reopen, type UploadStoreWithHandles, withHandles } from '../../uploads/handles.ts';
import { sendByBrowser, sourceOfFile } from '../../uploads/network.ts';
import type { Picked } from '../../uploads/pick.ts';
import { refusalText } from '../../uploads/refusal-text.ts';
import { createUploadStore, fileOf, type StoredFile } from '../../uploads/saved-uploads.ts';
import type { UploadTexts } from '../../uploads/upload-texts.ts';
import { basePath } from '../host-page.ts';
import type { Me } from '../me.ts';

/** What belongs together, and which upload of the API it uses. */
const uploadPaths = {
  send: '/message/attachments/upload',
  links: '/link/attachments/upload',
} as const;

export type Batch = keyof typeof uploadPaths;
export const batches = Object.keys(uploadPaths) as Batch[];

export interface TransferFile extends FileStatus {
  batch: Batch;
}

/** What is checked before a byte is sent. `refuseTotal`: why all files of the batch together are too much, or null. */
export type BatchLimits = Limits & { refuseTotal?: (totalBytes: number) => string | null };

export type KeptFile = ReturnType<typeof fileOf>;

/** A file whose upload is unfinished since an earlier visit, and that must be chosen again to continue. */
export interface MissingFile extends KeptFile {
  sentBytes: number;
  /** Why the browser could not read it again by itself; `unknown`: it gave no handle to it. */
  why: NotReopened | 'unknown';
}

export interface ReopenedFiles {
  picked: Picked[];
  missing: MissingFile[];
}

export interface Engine {
  files(): TransferFile[];
  listen(listener: (event: TransferEvent) => void): void;
  add(batch: Batch, picked: Picked[], limits: BatchLimits): string[];
  pause(id?: string): void;
  resume(id?: string): void;
  remove(id: string): void;
  clear(batch: Batch): void;
  kept(batch: Batch): StoredFile[];
  takeUp(batch: Batch): void;
  /** Must be called by a press: the browser may ask whether the files may be read. */
  reopen(batch: Batch): Promise<ReopenedFiles>;
  forget(batch: Batch, file?: KeptFile): void;
  setOnline(isOnline: boolean): void;
}

interface Options {
  me: Me;
  texts: UploadTexts;
  headers: Record<string, string>;
}

interface Line {
  batch: Batch;
  transfers: Transfers;
  store: UploadStoreWithHandles;
  /** Arrived during an earlier visit. */
  revived: TransferFile[];
  limits: BatchLimits | null;
}

export function openEngine(options: Options): Engine {
  const lines = batches.map((batch) => openLine(batch, options));
  for (const line of lines) line.transfers.listen((event) => remember(line, event));
  const lineOf = (batch: Batch) => lines.find((line) => line.batch === batch)!;
  /** Ids are `batch:id of the engine`, so that two engines never mean the same. */
  const chosen = (id: string) => ({ line: lineOf(id.split(':')[0] as Batch), inner: id.slice(id.indexOf(':') + 1) });
  return {
    files: () => lines.flatMap(filesOf),
    listen(listener) {
      for (const { transfers } of lines) transfers.listen(listener);
    },
    add: (batch, picked, limits) => addTo(lineOf(batch), picked, limits),
    pause(id) {
      if (id === undefined) for (const { transfers } of lines) transfers.pause();
      else chosen(id).line.transfers.pause(chosen(id).inner);
    },
    resume(id) {
      if (id === undefined) for (const { transfers } of lines) transfers.resume();
      else chosen(id).line.transfers.resume(chosen(id).inner);
    },
    remove(id) {
      const { line, inner } = chosen(id);
      const file = filesOf(line).find((candidate) => candidate.id === id);
      // A double that was refused shares its note with the file it doubles.
      if (file && file.state !== 'not-allowed') line.store.remove(file.source);
      line.revived = line.revived.filter((candidate) => candidate.id !== id);
      line.transfers.remove(inner);
    },
    clear: (batch) => empty(lineOf(batch)),
    kept: (batch) => lineOf(batch).store.list(),
    takeUp(batch) {
      const line = lineOf(batch);
      const kept = line.store.list();
      line.revived = kept.flatMap((one, index) => (one.is === 'arrived' ? [revive(batch, one, index)] : []));
    },
    reopen: (batch) => reopenIn(lineOf(batch)),
    forget(batch, file) {
      const { store } = lineOf(batch);
      if (file === undefined) store.clear();
      else store.remove(file);
    },
    setOnline(isOnline) {
      for (const { transfers } of lines) transfers.setOnline(isOnline);
    },
  };
}

function openLine(batch: Batch, { me, texts, headers }: Options): Line {
  const name = `waybill:${me.id}:uploads:${batch}`;
  const line: Line = {
    batch,
    store: withHandles(
      createUploadStore(storageIfAny(), name, () => Date.now()),
      name,
    ),
    revived: [],
    limits: null,
    transfers: createTransfers({
      send: sendByBrowser,
      clock: timers,
      random: Math.random,
      uploadUrl: `${basePath}${uploadPaths[batch]}`,
      stateUrl: `${basePath}/uploads/{id}`,
      headers,
      firstUploadId: 'new',
      probeUrl: `${basePath}/healthz`,
      chunkBytes: me.limits.piece_size,
      refuse(source, accepted) {
        if (line.limits === null) return null;
        const beside = [...line.revived.map((file) => file.source), ...accepted];
        const refusal = refusalOf(source, beside, line.limits);
        if (refusal !== null) return refusalText(refusal, texts);
        return line.limits.refuseTotal?.(beside.reduce((sum, one) => sum + one.sizeBytes, source.sizeBytes)) ?? null;
      },
    }),
  };
  return line;
}

function addTo(line: Line, picked: Picked[], limits: BatchLimits): string[] {
  line.limits = limits;
  const added = picked.map(({ file, path, handle }) => {
    const source = sourceOfFile(file, path);
    return { source, handle, inner: line.transfers.add(source, savedFor(line, source)) };
  });
  const refused = new Set(line.transfers.files().flatMap(({ id, state }) => (state === 'not-allowed' ? [id] : [])));
  const accepted = added.filter(({ inner }) => !refused.has(inner));
  const known = line.store.list().map(fileOf);
  const unknown = accepted.filter(({ source }) => !known.some((file) => isSameFile(file, source)));
  line.store.save(...unknown.map(({ source }) => noteOf(source)));
  for (const { source, handle } of accepted) if (handle !== undefined) line.store.saveHandle(source, handle);
  return added.map(({ inner }) => `${line.batch}:${inner}`);
}

/** Nothing of it has been sent yet. */
function noteOf({ name, sizeBytes, modifiedAt }: FileSource): StoredFile {
  return { is: 'added', name, sizeBytes, modifiedAt, keptAt: Date.now() };
}

async function reopenIn({ store }: Line): Promise<ReopenedFiles> {
  const left = store.list().flatMap((kept) => (kept.is === 'arrived' ? [] : [missingOf(kept)]));
  // All at once: the press counts for a few seconds only, and the browser puts its questions one after the other.
  const found = await Promise.all(
    left.map(async (file) => {
      const handle = await store.findHandle(file);
      return { file, handle, answer: handle === null ? null : await reopen(handle, file) };
    }),
  );
  const result: ReopenedFiles = { picked: [], missing: [] };
  for (const { file, handle, answer } of found) {
    if (answer?.is === 'same') result.picked.push({ file: answer.file, path: file.name, handle: handle! });
    else result.missing.push({ ...file, why: answer?.is ?? 'unknown' });
  }
  return result;
}

/** As long as nobody has tried to read it again. */
export function missingOf(kept: Exclude<StoredFile, { is: 'arrived' }>): MissingFile {
  const { name, sizeBytes, modifiedAt } = fileOf(kept);
  const sentBytes = kept.is === 'added' ? 0 : Math.min(kept.upload.nextPiece * kept.upload.pieceBytes, sizeBytes);
  return { name, sizeBytes, modifiedAt, sentBytes, why: 'unknown' };
}

function empty(line: Line): void {
  for (const { id } of line.transfers.files()) line.transfers.remove(id);
  line.revived = [];
  line.store.clear();
}

function filesOf({ batch, transfers, revived }: Line): TransferFile[] {
  return [...revived, ...transfers.files().map((file) => ({ ...file, id: `${batch}:${file.id}`, batch }))];
}

function remember({ store }: Line, event: TransferEvent): void {
  if (event.is === 'saved') store.save({ is: 'under-way', upload: event.upload, keptAt: Date.now() });
  if (event.is !== 'state' || event.was === event.file.state) return;
  const { state, source, attachmentId } = event.file;
  const { name, sizeBytes, modifiedAt } = source;
  if (state === 'ready' && attachmentId !== null)
    store.save({ is: 'arrived', attachmentId, name, sizeBytes, modifiedAt, keptAt: Date.now() });
  if (state === 'failed' || state === 'not-allowed') store.remove(source);
}

/** Where a chosen file resumes. One that has changed since starts over. */
function savedFor({ store }: Line, source: FileSource): SavedUpload | null {
  const saved = store.list().flatMap((kept) => (kept.is === 'under-way' ? [kept.upload] : []));
  return saved.find((upload) => isSameFile(upload, source)) ?? null;
}

function revive(batch: Batch, kept: Extract<StoredFile, { is: 'arrived' }>, index: number): TransferFile {
  const { name, sizeBytes, modifiedAt, attachmentId } = kept;
  const read = () => Promise.reject(new Error('it has arrived already'));
  const source = { name, sizeBytes, modifiedAt, contentType: '', read };
  const rest = { state: 'ready', sentBytes: sizeBytes, sentence: null, reason: null, attachmentId } as const;
  return { id: `${batch}:kept-${index}`, batch, source, ...rest };
}

function storageIfAny(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
