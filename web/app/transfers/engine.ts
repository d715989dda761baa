// One upload engine per kind of upload, with saved state to resume after a reload.
import { createTransfers, type Transfers } from '../../../transfer/engine.ts';
import type { FileSource } from '../../../transfer/ports.ts';
import { isSameFile, type Limits, refusalOf } from '../../../transfer/rules.ts';
import type { FileStatus, SavedUpload, TransferEvent } from '../../../transfer/states.ts';
import { timers } from '../../../transfer/timers.ts';
import { durableStorage } from '../../uploads/durable-storage.ts';
import { type NotReopened, reopen, type UploadStoreWithHandles, withHandles } from '../../uploads/handles.ts';
import { sendByBrowser, sourceOfFile } from '../../uploads/network.ts';
import type { Picked } from '../../uploads/pick.ts';
import { refusalText } from '../../uploads/refusal-text.ts';
import { createUploadStore, fileOf, type StoredFile } from '../../uploads/saved-uploads.ts';
import type { UploadTexts } from '../../uploads/upload-texts.ts';
import { basePath } from '../host-page.ts';
import type { Me } from '../me.ts';

/** The upload endpoint of each batch. */
const uploadPaths = {
  send: '/message/attachments/upload',
  links: '/link/attachments/upload',
} as const;

export type Batch = keyof typeof uploadPaths;
export const batches = Object.keys(uploadPaths) as Batch[];

export interface TransferFile extends FileStatus {
  batch: Batch;
}

/** `refuseTotal` returns why the batch is too large, or null. */
export type BatchLimits = Limits & { refuseTotal?: (totalBytes: number) => string | null };

export type FileRef = ReturnType<typeof fileOf>;

/** An upload of an earlier visit whose file must be chosen again. */
export interface MissingFile extends FileRef {
  sentBytes: number;
  /** `unknown`: there is no handle. */
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
  stored(batch: Batch): StoredFile[];
  restore(batch: Batch): void;
  /** Call in a click handler: the browser may show a permission prompt. */
  reopen(batch: Batch): Promise<ReopenedFiles>;
  discard(batch: Batch, file?: FileRef): void;
  setOnline(isOnline: boolean): void;
}

interface Options {
  me: Me;
  texts: UploadTexts;
  headers: Record<string, string>;
}

interface Channel {
  batch: Batch;
  transfers: Transfers;
  store: UploadStoreWithHandles;
  restored: TransferFile[];
  limits: BatchLimits | null;
}

export function openEngine(options: Options): Engine {
  const channels = batches.map((batch) => openChannel(batch, options));
  for (const channel of channels) channel.transfers.listen((event) => saveProgress(channel, event));
  const channelOf = (batch: Batch) => channels.find((channel) => channel.batch === batch)!;
  /** `batch:id in the engine`, unique across engines. */
  const chosen = (id: string) => ({
    channel: channelOf(id.split(':')[0] as Batch),
    inner: id.slice(id.indexOf(':') + 1),
  });
  return {
    files: () => channels.flatMap(filesOf),
    listen(listener) {
      for (const { transfers } of channels) transfers.listen(listener);
    },
    add: (batch, picked, limits) => addTo(channelOf(batch), picked, limits),
    pause(id) {
      if (id === undefined) for (const { transfers } of channels) transfers.pause();
      else chosen(id).channel.transfers.pause(chosen(id).inner);
    },
    resume(id) {
      if (id === undefined) for (const { transfers } of channels) transfers.resume();
      else chosen(id).channel.transfers.resume(chosen(id).inner);
    },
    remove(id) {
      const { channel, inner } = chosen(id);
      const file = filesOf(channel).find((candidate) => candidate.id === id);
      // A refused duplicate shares the saved entry of the file it duplicates.
      if (file && file.state !== 'not-allowed') channel.store.remove(file.source);
      channel.restored = channel.restored.filter((candidate) => candidate.id !== id);
      channel.transfers.remove(inner);
    },
    clear: (batch) => empty(channelOf(batch)),
    stored: (batch) => channelOf(batch).store.list(),
    restore(batch) {
      const channel = channelOf(batch);
      const stored = channel.store.list();
      channel.restored = stored.flatMap((one, index) =>
        one.is === 'arrived' ? [restoreReady(batch, one, index)] : [],
      );
    },
    reopen: (batch) => reopenIn(channelOf(batch)),
    discard(batch, file) {
      const { store } = channelOf(batch);
      if (file === undefined) store.clear();
      else store.remove(file);
    },
    setOnline(isOnline) {
      for (const { transfers } of channels) transfers.setOnline(isOnline);
    },
  };
}

function openChannel(batch: Batch, { me, texts, headers }: Options): Channel {
  const name = `waybill:${me.id}:uploads:${batch}`;
  const channel: Channel = {
    batch,
    store: withHandles(
      createUploadStore(durableStorage(), name, () => Date.now()),
      name,
    ),
    restored: [],
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
      followsConnection: true,
      refuse(source, accepted) {
        if (channel.limits === null) return null;
        const known = [...channel.restored.map((file) => file.source), ...accepted];
        const refusal = refusalOf(source, known, channel.limits);
        if (refusal !== null) return refusalText(refusal, texts);
        return channel.limits.refuseTotal?.(known.reduce((sum, one) => sum + one.sizeBytes, source.sizeBytes)) ?? null;
      },
    }),
  };
  return channel;
}

function addTo(channel: Channel, picked: Picked[], limits: BatchLimits): string[] {
  channel.limits = limits;
  const added = picked.map(({ file, path, handle }) => {
    const source = sourceOfFile(file, path);
    return { source, handle, inner: channel.transfers.add(source, savedFor(channel, source)) };
  });
  const refused = new Set(channel.transfers.files().flatMap(({ id, state }) => (state === 'not-allowed' ? [id] : [])));
  const accepted = added.filter(({ inner }) => !refused.has(inner));
  const known = channel.store.list().map(fileOf);
  const unknown = accepted.filter(({ source }) => !known.some((file) => isSameFile(file, source)));
  channel.store.save(...unknown.map(({ source }) => entryOf(source)));
  for (const { source, handle } of accepted) if (handle !== undefined) channel.store.saveHandle(source, handle);
  return added.map(({ inner }) => `${channel.batch}:${inner}`);
}

function entryOf({ name, sizeBytes, modifiedAt }: FileSource): StoredFile {
  return { is: 'added', name, sizeBytes, modifiedAt, keptAt: Date.now() };
}

async function reopenIn({ store }: Channel): Promise<ReopenedFiles> {
  const left = store.list().flatMap((stored) => (stored.is === 'arrived' ? [] : [missingOf(stored)]));
  // In parallel: the click permits prompts only for a few seconds.
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

export function missingOf(stored: Exclude<StoredFile, { is: 'arrived' }>): MissingFile {
  const { name, sizeBytes, modifiedAt } = fileOf(stored);
  const sentBytes = stored.is === 'added' ? 0 : Math.min(stored.upload.nextPiece * stored.upload.pieceBytes, sizeBytes);
  return { name, sizeBytes, modifiedAt, sentBytes, why: 'unknown' };
}

function empty(channel: Channel): void {
  for (const { id } of channel.transfers.files()) channel.transfers.remove(id);
  channel.restored = [];
  channel.store.clear();
}

function filesOf({ batch, transfers, restored }: Channel): TransferFile[] {
  return [...restored, ...transfers.files().map((file) => ({ ...file, id: `${batch}:${file.id}`, batch }))];
}

function saveProgress({ store }: Channel, event: TransferEvent): void {
  if (event.is === 'saved') store.save({ is: 'under-way', upload: event.upload, keptAt: Date.now() });
  if (event.is !== 'state' || event.was === event.file.state) return;
  const { state, source, attachmentId } = event.file;
  const { name, sizeBytes, modifiedAt } = source;
  if (state === 'ready' && attachmentId !== null)
    store.save({ is: 'arrived', attachmentId, name, sizeBytes, modifiedAt, keptAt: Date.now() });
  if (state === 'failed' || state === 'not-allowed') store.remove(source);
}

/** A changed file starts over. */
function savedFor({ store }: Channel, source: FileSource): SavedUpload | null {
  const saved = store.list().flatMap((stored) => (stored.is === 'under-way' ? [stored.upload] : []));
  return saved.find((upload) => isSameFile(upload, source)) ?? null;
}

function restoreReady(batch: Batch, stored: Extract<StoredFile, { is: 'arrived' }>, index: number): TransferFile {
  const { name, sizeBytes, modifiedAt, attachmentId } = stored;
  const read = () => Promise.reject(new Error('it has arrived already'));
  const source = { name, sizeBytes, modifiedAt, contentType: '', read };
  const rest = { state: 'ready', sentBytes: sizeBytes, sentence: null, reason: null, attachmentId } as const;
  return { id: `${batch}:kept-${index}`, batch, source, ...rest };
}
