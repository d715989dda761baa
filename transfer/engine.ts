// Sends many files: a few at a time, in order, with pausing, going offline and coming back, and stopping where people
// have to do something first. Screens read its states and events; it knows nothing of screens.
import { crc32 } from './crc32.ts';
import type { ExchangePorts } from './exchange.ts';
import {
  acceptedSources,
  type Entry,
  type Fleet,
  goOffline,
  goOnline,
  interrupt,
  pump,
  setState,
  tell,
} from './fleet.ts';
import { resumeJourney } from './journey.ts';
import type { FileSource } from './ports.ts';
import { type FileStatus, isOver, type SavedUpload, type Totals, type TransferEvent, totalsOf } from './states.ts';
import type { Route } from './trip.ts';
import type { WholePorts } from './whole.ts';
import { fixedWidth, type Width } from './width.ts';

export interface TransferOptions extends ExchangePorts, WholePorts, Omit<Route, 'firstUploadId'> {
  /** See `Route`; left out by default. */
  firstUploadId?: string | null;
  /** Asked every 15 s while offline; any answer means that the connection is back. */
  probeUrl: string;
  pieceBytes?: number;
  /** Of pieces that are read from the file while they are sent: only with `stream`, over a fast line. */
  streamedPieceBytes?: number;
  parallelFiles?: number;
  /** Where the platform has a faster one than the engine's own. */
  crc32?: (before: number, bytes: Uint8Array) => number;
  /** Pieces of one file at the same time; one after the other by default. */
  width?: Width;
  /** A sentence when a file may not be sent beside the others; nothing of it is sent then. */
  refuse?(source: FileSource, accepted: FileSource[]): string | null;
}

export interface Transfers {
  /** Returns its id. Starts by itself. `saved` resumes where an earlier visit stopped with the same file. */
  add(source: FileSource, saved?: SavedUpload | null): string;
  files(): FileStatus[];
  totals(): Totals;
  /** All files without an id. */
  pause(id?: string): void;
  /** Also continues after a halt, and with an id retries a failed file. */
  resume(id?: string): void;
  /** Forgets the file; what was sent of it expires at the server. */
  remove(id: string): void;
  setOnline(isOnline: boolean): void;
  /** Returns the function that ends it. */
  listen(listener: (event: TransferEvent) => void): () => void;
  /** Stops everything for good. */
  close(): void;
}

const defaultPieceBytes = 8 * 1024 * 1024;
const defaultStreamedPieceBytes = 64 * 1024 * 1024;
const defaultParallelFiles = 3;

export function createTransfers(options: TransferOptions): Transfers {
  const { send, clock, random, uploadUrl, stateUrl, headers, probeUrl } = options;
  const fleet: Fleet = {
    ports: {
      send,
      clock,
      random,
      crc32: options.crc32 ?? crc32,
      stream: options.stream,
      mayGoWhole: options.mayGoWhole,
      streamedPieceBytes: options.streamedPieceBytes ?? defaultStreamedPieceBytes,
    },
    route: { uploadUrl, stateUrl, headers, firstUploadId: options.firstUploadId ?? null },
    probeUrl,
    parallelFiles: options.parallelFiles ?? defaultParallelFiles,
    pieceSize: { bytes: options.pieceBytes ?? defaultPieceBytes, isReduced: false },
    width: options.width ?? fixedWidth(1),
    entries: new Map(),
    listeners: new Set(),
    halt: null,
    probing: null,
  };
  let lastId = 0;
  return {
    add(source, saved = null) {
      lastId += 1;
      const sentence = options.refuse?.(source, acceptedSources(fleet)) ?? null;
      return add(fleet, { id: `file-${lastId}`, source, saved, sentence });
    },
    files: () => [...fleet.entries.values()].map(({ status }) => ({ ...status })),
    totals: () => totalsOf([...fleet.entries.values()].map(({ status }) => status)),
    pause(id) {
      for (const entry of chosen(fleet, id)) if (!isOver(entry.status.state)) interrupt(fleet, entry, 'paused');
      pump(fleet);
    },
    resume: (id) => resume(fleet, id),
    remove: (id) => remove(fleet, id),
    setOnline(isOnline) {
      if (isOnline === (fleet.probing === null)) return;
      if (isOnline) goOnline(fleet);
      else goOffline(fleet);
    },
    listen(listener) {
      fleet.listeners.add(listener);
      return () => void fleet.listeners.delete(listener);
    },
    close() {
      fleet.listeners.clear();
      fleet.probing?.abort();
      for (const { run } of fleet.entries.values()) run?.abort();
      fleet.entries.clear();
    },
  };
}

interface Addition {
  id: string;
  source: FileSource;
  /** What is known of an earlier attempt at the same file. */
  saved: SavedUpload | null;
  /** Why it may not be sent. */
  sentence: string | null;
}

function add(fleet: Fleet, { id, source, saved, sentence }: Addition): string {
  const state = sentence !== null ? 'not-allowed' : startState(fleet);
  const journey = saved === null || sentence !== null ? null : resumeJourney(saved);
  const sentBytes = journey === null ? 0 : Math.min(source.sizeBytes, journey.nextPiece * journey.pieceBytes);
  const status: FileStatus = { id, source, state, sentBytes, sentence, reason: null, attachmentId: null };
  fleet.entries.set(id, { status, journey, run: null });
  tell(fleet, { is: 'state', file: { ...status }, was: state });
  // Later, so that a batch of files is there as a whole before the first of them starts.
  queueMicrotask(() => pump(fleet));
  return id;
}

function startState(fleet: Fleet): 'paused' | 'waiting' | 'queued' {
  if (fleet.halt !== null) return 'paused';
  return fleet.probing === null ? 'queued' : 'waiting';
}

function resume(fleet: Fleet, id: string | undefined): void {
  const wasHalted = fleet.halt !== null;
  fleet.halt = null;
  for (const entry of chosen(fleet, id)) {
    const { status } = entry;
    if (status.state !== 'paused' && !(status.state === 'failed' && id !== undefined)) continue;
    status.sentence = null;
    status.reason = null;
    status.refusal = undefined;
    setState(fleet, entry, startState(fleet));
  }
  if (wasHalted) tell(fleet, { is: 'resumed' });
  pump(fleet);
}

function remove(fleet: Fleet, id: string): void {
  const entry = fleet.entries.get(id);
  if (!entry) return;
  const { run } = entry;
  entry.run = null;
  fleet.entries.delete(id);
  run?.abort();
  tell(fleet, { is: 'removed', id });
  pump(fleet);
}

function chosen(fleet: Fleet, id: string | undefined): Entry[] {
  if (id === undefined) return [...fleet.entries.values()];
  const entry = fleet.entries.get(id);
  return entry ? [entry] : [];
}
