import type { ChunkSize, Outcome, Route, SendingPorts } from './chunk-upload.ts';
import type { Concurrency } from './concurrency.ts';
import { Interrupted } from './exchange.ts';
import type { FileSource } from './ports.ts';
import { sendFile } from './send-file.ts';
import type { FileState, FileStatus, Halt, TransferEvent } from './states.ts';
import { toSavedUpload, type Upload } from './upload.ts';

export interface Entry {
  status: FileStatus;
  upload: Upload | null;
  run: AbortController | null;
}

export interface UploadPool {
  ports: SendingPorts;
  route: Route;
  probeUrl: string;
  parallelFiles: number;
  chunkSize: ChunkSize;
  concurrency: Concurrency;
  entries: Map<string, Entry>;
  listeners: Set<(event: TransferEvent) => void>;
  halt: Halt | null;
  probing: AbortController | null;
}

const probeEveryMs = 15_000;

export function emit(pool: UploadPool, event: TransferEvent): void {
  for (const listener of [...pool.listeners]) listener(event);
}

export function setState(pool: UploadPool, entry: Entry, state: FileState): void {
  const was = entry.status.state;
  if (was === state) return;
  entry.status.state = state;
  emit(pool, { is: 'state', file: { ...entry.status }, was });
}

export function startQueued(pool: UploadPool): void {
  if (pool.probing !== null || pool.halt !== null) return;
  const all = [...pool.entries.values()];
  const slots = pool.parallelFiles - all.filter(({ run }) => run !== null).length;
  const queued = all.filter(({ status, run }) => status.state === 'queued' && run === null);
  for (const entry of queued.slice(0, Math.max(0, slots))) void start(pool, entry);
}

async function start(pool: UploadPool, entry: Entry): Promise<void> {
  const run = new AbortController();
  entry.run = run;
  // An interrupted run may still be ending; ignore its callbacks.
  const isCurrent = () => entry.run === run;
  try {
    const outcome = await sendFile(contextOf(pool, entry, run.signal, isCurrent), entry.upload);
    if (!isCurrent()) return;
    entry.run = null;
    finish(pool, entry, outcome);
  } catch (error) {
    if (isCurrent()) entry.run = null;
    // `interrupt` has already set the state.
    if (!(error instanceof Interrupted)) throw error;
  }
  startQueued(pool);
}

function contextOf(
  pool: UploadPool,
  entry: Entry,
  signal: AbortSignal,
  isCurrent: () => boolean,
): Parameters<typeof sendFile>[0] {
  const { ports, route, chunkSize, concurrency } = pool;
  const { status } = entry;
  return {
    ports,
    route,
    chunkSize,
    concurrency,
    source: status.source,
    signal,
    progress: {
      onState(state) {
        if (isCurrent()) setState(pool, entry, state);
      },
      onBytes(sentBytes) {
        if (!isCurrent()) return;
        status.sentBytes = sentBytes;
        emit(pool, { is: 'progress', file: { ...status } });
      },
      onUpload(upload) {
        if (!isCurrent()) return;
        entry.upload = upload;
        const saved = toSavedUpload(upload, status.source);
        if (saved !== null) emit(pool, { is: 'saved', id: status.id, upload: saved });
      },
    },
  };
}

function finish(pool: UploadPool, entry: Entry, outcome: Outcome): void {
  const { status } = entry;
  if (outcome.is === 'halted') {
    stopAll(pool, 'paused', entry);
    pool.halt = outcome.halt;
    emit(pool, { is: 'halted', reason: outcome.halt, sentence: outcome.sentence });
  } else if (outcome.is === 'ready') {
    status.attachmentId = outcome.attachmentId;
    status.sentBytes = status.source.sizeBytes;
    setState(pool, entry, 'ready');
  } else {
    entry.upload = null;
    status.sentence = outcome.sentence;
    status.reason = outcome.reason;
    status.refusal = outcome.refusal;
    setState(pool, entry, outcome.is);
  }
}

export function interrupt(pool: UploadPool, entry: Entry, state: 'paused' | 'waiting'): void {
  const { run } = entry;
  entry.run = null;
  setState(pool, entry, state);
  run?.abort();
}

function stopAll(pool: UploadPool, state: 'paused' | 'waiting', also?: Entry): void {
  for (const entry of pool.entries.values()) {
    const isRunning = entry.run !== null || entry === also;
    if (isRunning || entry.status.state === 'queued') interrupt(pool, entry, state);
  }
}

export function goOffline(pool: UploadPool): void {
  const ending = new AbortController();
  pool.probing = ending;
  stopAll(pool, 'waiting');
  emit(pool, { is: 'offline' });
  probe(pool, ending.signal).catch(() => {}); // rejects when aborted
}

export function goOnline(pool: UploadPool): void {
  pool.probing?.abort();
  pool.probing = null;
  for (const entry of pool.entries.values()) {
    if (entry.status.state === 'waiting') setState(pool, entry, pool.halt === null ? 'queued' : 'paused');
  }
  emit(pool, { is: 'online' });
  startQueued(pool);
}

/** Browsers often report offline wrongly, so a response overrides them. */
async function probe(pool: UploadPool, ending: AbortSignal): Promise<void> {
  const { clock, send } = pool.ports;
  const request = { method: 'GET', url: pool.probeUrl, headers: {}, body: null, signal: ending } as const;
  for (;;) {
    await clock.wait(probeEveryMs, ending);
    const isBack = await send({ ...request, onProgress() {} }).then(
      () => true,
      () => false,
    );
    if (isBack && !ending.aborted) {
      goOnline(pool);
      return;
    }
  }
}

export function acceptedSources(pool: UploadPool): FileSource[] {
  return [...pool.entries.values()]
    .filter(({ status }) => status.state !== 'not-allowed' && status.state !== 'failed')
    .map(({ status }) => status.source);
}
