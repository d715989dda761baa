import type { ChunkSize } from './chunk-size.ts';
import type { Outcome, Route, SendingPorts } from './chunk-upload.ts';
import type { Concurrency } from './concurrency.ts';
import { Interrupted } from './exchange.ts';
import type { FileSource } from './ports.ts';
import { sendFile } from './send-file.ts';
import type { FileState, FileStatus, Halt, TransferEvent } from './states.ts';
import { toSavedUpload, type Upload } from './upload.ts';

export interface Entry {
  status: FileStatus;
  upload: Upload | null;
  run: Run | null;
}

interface Run {
  aborting: AbortController;
  /** The file is shown as paused while its running requests end, so that nothing is sent twice. */
  isPausing: boolean;
  /** What `resume` shows again. */
  state: FileState;
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
  const slots = pool.parallelFiles - all.filter(({ run }) => run !== null && !run.isPausing).length;
  const queued = all.filter(({ status, run }) => status.state === 'queued' && run === null);
  for (const entry of queued.slice(0, Math.max(0, slots))) void start(pool, entry);
}

async function start(pool: UploadPool, entry: Entry): Promise<void> {
  const run: Run = { aborting: new AbortController(), isPausing: false, state: entry.status.state };
  entry.run = run;
  // An interrupted run may still be ending; ignore its callbacks.
  const isCurrent = () => entry.run === run;
  try {
    const outcome = await sendFile(contextOf(pool, entry, run, isCurrent), entry.upload);
    if (!isCurrent()) return;
    entry.run = null;
    finish(pool, entry, outcome);
  } catch (error) {
    const wasCurrent = isCurrent();
    if (wasCurrent) entry.run = null;
    // `interrupt` and `pause` have already set the state.
    if (!(error instanceof Interrupted)) throw error;
    if (wasCurrent) endPause(pool, entry);
  }
  startQueued(pool);
}

/** A chunk whose request failed may have arrived. */
function endPause(pool: UploadPool, entry: Entry): void {
  if (entry.upload !== null && entry.upload.uploadId !== null) entry.upload.isUnconfirmed = true;
  // It was resumed in the meantime.
  if (entry.status.state !== 'paused') setState(pool, entry, 'queued');
}

function contextOf(pool: UploadPool, entry: Entry, run: Run, isCurrent: () => boolean): Parameters<typeof sendFile>[0] {
  const { ports, route, chunkSize, concurrency } = pool;
  const { status } = entry;
  return {
    ports,
    route,
    chunkSize,
    concurrency,
    source: status.source,
    signal: run.aborting.signal,
    isPausing: () => run.isPausing,
    progress: {
      onState(state) {
        if (!isCurrent()) return;
        run.state = state;
        if (!run.isPausing) setState(pool, entry, state);
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
  run?.aborting.abort();
}

/** A single request has no chunks and starts over. */
export function pause(pool: UploadPool, entry: Entry): void {
  if (entry.run === null || entry.upload === null) interrupt(pool, entry, 'paused');
  else {
    entry.run.isPausing = true;
    setState(pool, entry, 'paused');
  }
}

/** False when nothing of the file is running. */
export function endPausing(pool: UploadPool, entry: Entry): boolean {
  if (entry.run === null) return false;
  entry.run.isPausing = false;
  setState(pool, entry, entry.run.state);
  return true;
}

function stopAll(pool: UploadPool, state: 'paused' | 'waiting', also?: Entry): void {
  for (const entry of pool.entries.values()) {
    const isRunning = entry.run !== null || entry === also;
    const isPaused = entry.status.state === 'paused';
    if (isRunning || entry.status.state === 'queued') interrupt(pool, entry, isPaused ? 'paused' : state);
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
