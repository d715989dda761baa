// Sends a few files at a time, in order.

import type { Route } from './chunk-upload.ts';
import { type Concurrency, fixedConcurrency } from './concurrency.ts';
import { crc32 } from './crc32.ts';
import type { ExchangePorts } from './exchange.ts';
import type { FileSource } from './ports.ts';
import type { SingleRequestPorts } from './single-request.ts';
import { type FileStatus, isOver, type SavedUpload, type Totals, type TransferEvent, totalsOf } from './states.ts';
import { resumeUpload } from './upload.ts';
import {
  acceptedSources,
  type Entry,
  emit,
  endPausing,
  goOffline,
  goOnline,
  pause,
  setState,
  startQueued,
  type UploadPool,
} from './upload-pool.ts';

export interface TransferOptions extends ExchangePorts, SingleRequestPorts, Omit<Route, 'firstUploadId'> {
  firstUploadId?: string | null;
  /** Probed every 15 s while offline. */
  probeUrl: string;
  chunkBytes?: number;
  /** Needs `stream` and a fast connection. */
  streamedChunkBytes?: number;
  /** Reduces `chunkBytes` on a slow connection. */
  followsConnection?: boolean;
  parallelFiles?: number;
  crc32?: (before: number, bytes: Uint8Array) => number;
  /** Parallel chunks per file; 1 by default. */
  concurrency?: Concurrency;
  /** Returns why a file must not be sent, or null. */
  refuse?(source: FileSource, accepted: FileSource[]): string | null;
}

export interface Transfers {
  /** Returns the file's id. `saved` resumes an earlier upload. */
  add(source: FileSource, saved?: SavedUpload | null): string;
  files(): FileStatus[];
  totals(): Totals;
  /** Running chunks are finished. Without an id: all files. */
  pause(id?: string): void;
  /** Also ends a halt. */
  resume(id?: string): void;
  /** Chunks already sent expire on the server. */
  remove(id: string): void;
  setOnline(isOnline: boolean): void;
  listen(listener: (event: TransferEvent) => void): () => void;
  close(): void;
}

const defaultChunkBytes = 8 * 1024 * 1024;
const defaultStreamedChunkBytes = 64 * 1024 * 1024;
const defaultParallelFiles = 3;

/** Reads the URLs at each use: a page may learn other ones. */
function routeOf(options: TransferOptions): UploadPool['route'] {
  return {
    get uploadUrl() {
      return options.uploadUrl;
    },
    get stateUrl() {
      return options.stateUrl;
    },
    headers: options.headers,
    firstUploadId: options.firstUploadId ?? null,
  };
}

export function createTransfers(options: TransferOptions): Transfers {
  const { send, clock, random, probeUrl } = options;
  const pool: UploadPool = {
    ports: {
      send,
      clock,
      random,
      crc32: options.crc32 ?? crc32,
      stream: options.stream,
      allowSingleRequest: options.allowSingleRequest,
      streamedChunkBytes: options.streamedChunkBytes ?? defaultStreamedChunkBytes,
    },
    route: routeOf(options),
    probeUrl,
    parallelFiles: options.parallelFiles ?? defaultParallelFiles,
    chunkSize: {
      bytes: options.chunkBytes ?? defaultChunkBytes,
      isReduced: false,
      slowBytes: null,
      followsConnection: options.followsConnection ?? false,
    },
    concurrency: options.concurrency ?? fixedConcurrency(1),
    entries: new Map(),
    listeners: new Set(),
    halt: null,
    probing: null,
  };
  let lastId = 0;
  return {
    add(source, saved = null) {
      lastId += 1;
      const sentence = options.refuse?.(source, acceptedSources(pool)) ?? null;
      return add(pool, { id: `file-${lastId}`, source, saved, sentence });
    },
    files: () => [...pool.entries.values()].map(({ status }) => ({ ...status })),
    totals: () => totalsOf([...pool.entries.values()].map(({ status }) => status)),
    pause(id) {
      for (const entry of chosen(pool, id)) if (!isOver(entry.status.state)) pause(pool, entry);
      startQueued(pool);
    },
    resume: (id) => resume(pool, id),
    remove: (id) => remove(pool, id),
    setOnline(isOnline) {
      if (isOnline === (pool.probing === null)) return;
      if (isOnline) goOnline(pool);
      else goOffline(pool);
    },
    listen(listener) {
      pool.listeners.add(listener);
      return () => void pool.listeners.delete(listener);
    },
    close() {
      pool.listeners.clear();
      pool.probing?.abort();
      for (const { run } of pool.entries.values()) run?.aborting.abort();
      pool.entries.clear();
    },
  };
}

interface Addition {
  id: string;
  source: FileSource;
  saved: SavedUpload | null;
  sentence: string | null;
}

function add(pool: UploadPool, { id, source, saved, sentence }: Addition): string {
  const state = sentence !== null ? 'not-allowed' : startState(pool);
  const upload = saved === null || sentence !== null ? null : resumeUpload(saved);
  const sentBytes = upload === null ? 0 : Math.min(source.sizeBytes, upload.nextChunk * upload.chunkBytes);
  const status: FileStatus = { id, source, state, sentBytes, sentence, reason: null, attachmentId: null };
  pool.entries.set(id, { status, upload, run: null });
  emit(pool, { is: 'state', file: { ...status }, was: state });
  // Deferred until the batch is complete.
  queueMicrotask(() => startQueued(pool));
  return id;
}

function startState(pool: UploadPool): 'paused' | 'waiting' | 'queued' {
  if (pool.halt !== null) return 'paused';
  return pool.probing === null ? 'queued' : 'waiting';
}

function resume(pool: UploadPool, id: string | undefined): void {
  const wasHalted = pool.halt !== null;
  pool.halt = null;
  for (const entry of chosen(pool, id)) {
    const { status } = entry;
    if (status.state !== 'paused' && !(status.state === 'failed' && id !== undefined)) continue;
    status.sentence = null;
    status.reason = null;
    status.refusal = undefined;
    if (!endPausing(pool, entry)) setState(pool, entry, startState(pool));
  }
  if (wasHalted) emit(pool, { is: 'resumed' });
  startQueued(pool);
}

function remove(pool: UploadPool, id: string): void {
  const entry = pool.entries.get(id);
  if (!entry) return;
  const { run } = entry;
  entry.run = null;
  pool.entries.delete(id);
  run?.aborting.abort();
  emit(pool, { is: 'removed', id });
  startQueued(pool);
}

function chosen(pool: UploadPool, id: string | undefined): Entry[] {
  if (id === undefined) return [...pool.entries.values()];
  const entry = pool.entries.get(id);
  return entry ? [entry] : [];
}
