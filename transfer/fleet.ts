// The inside of the engine: the files under way, who may start, what stops them. Only engine.ts uses it.
import { Interrupted } from './exchange.ts';
import { type Journey, savedJourney } from './journey.ts';
import type { FileSource } from './ports.ts';
import { sendFile } from './send-file.ts';
import type { FileState, FileStatus, Halt, TransferEvent } from './states.ts';
import type { Outcome, PieceSize, Route, SendingPorts } from './trip.ts';
import type { Width } from './width.ts';

export interface Entry {
  status: FileStatus;
  journey: Journey | null;
  /** Present while it is under way. */
  run: AbortController | null;
}

export interface Fleet {
  ports: SendingPorts;
  route: Route;
  probeUrl: string;
  parallelFiles: number;
  pieceSize: PieceSize;
  /** Pieces of one file at the same time. */
  width: Width;
  entries: Map<string, Entry>;
  listeners: Set<(event: TransferEvent) => void>;
  /** People have to do something before anything continues. */
  halt: Halt | null;
  /** Present while offline; aborting it ends the probes. */
  probing: AbortController | null;
}

const probeEveryMs = 15_000;

export function tell(fleet: Fleet, event: TransferEvent): void {
  for (const listener of [...fleet.listeners]) listener(event);
}

export function setState(fleet: Fleet, entry: Entry, state: FileState): void {
  const was = entry.status.state;
  if (was === state) return;
  entry.status.state = state;
  tell(fleet, { is: 'state', file: { ...entry.status }, was });
}

/** Starts queued files while there is room. */
export function pump(fleet: Fleet): void {
  if (fleet.probing !== null || fleet.halt !== null) return;
  const all = [...fleet.entries.values()];
  const room = fleet.parallelFiles - all.filter(({ run }) => run !== null).length;
  const queued = all.filter(({ status, run }) => status.state === 'queued' && run === null);
  for (const entry of queued.slice(0, Math.max(0, room))) void start(fleet, entry);
}

async function start(fleet: Fleet, entry: Entry): Promise<void> {
  const run = new AbortController();
  entry.run = run;
  // An interrupted run may still be unwinding when the next one has begun; it has no say any more.
  const isCurrent = () => entry.run === run;
  try {
    const outcome = await sendFile(tripOf(fleet, entry, run.signal, isCurrent), entry.journey);
    if (!isCurrent()) return;
    entry.run = null;
    finish(fleet, entry, outcome);
  } catch (error) {
    if (isCurrent()) entry.run = null;
    // Whoever interrupted has set the state already.
    if (!(error instanceof Interrupted)) throw error;
  }
  pump(fleet);
}

function tripOf(
  fleet: Fleet,
  entry: Entry,
  signal: AbortSignal,
  isCurrent: () => boolean,
): Parameters<typeof sendFile>[0] {
  const { ports, route, pieceSize, width } = fleet;
  const { status } = entry;
  return {
    ports,
    route,
    pieceSize,
    width,
    source: status.source,
    signal,
    progress: {
      onState(state) {
        if (isCurrent()) setState(fleet, entry, state);
      },
      onBytes(sentBytes) {
        if (!isCurrent()) return;
        status.sentBytes = sentBytes;
        tell(fleet, { is: 'progress', file: { ...status } });
      },
      onJourney(journey) {
        if (!isCurrent()) return;
        entry.journey = journey;
        const upload = savedJourney(journey, status.source);
        if (upload !== null) tell(fleet, { is: 'saved', id: status.id, upload });
      },
    },
  };
}

function finish(fleet: Fleet, entry: Entry, outcome: Outcome): void {
  const { status } = entry;
  if (outcome.is === 'halted') {
    stopAll(fleet, 'paused', entry);
    fleet.halt = outcome.halt;
    tell(fleet, { is: 'halted', reason: outcome.halt, sentence: outcome.sentence });
  } else if (outcome.is === 'ready') {
    status.attachmentId = outcome.attachmentId;
    status.sentBytes = status.source.sizeBytes;
    setState(fleet, entry, 'ready');
  } else {
    entry.journey = null;
    status.sentence = outcome.sentence;
    status.reason = outcome.reason;
    status.refusal = outcome.refusal;
    setState(fleet, entry, outcome.is);
  }
}

export function interrupt(fleet: Fleet, entry: Entry, state: 'paused' | 'waiting'): void {
  const { run } = entry;
  entry.run = null;
  setState(fleet, entry, state);
  run?.abort();
}

/** `also` was under way until now and has no run any more. */
function stopAll(fleet: Fleet, state: 'paused' | 'waiting', also?: Entry): void {
  for (const entry of fleet.entries.values()) {
    const isUnderWay = entry.run !== null || entry === also;
    if (isUnderWay || entry.status.state === 'queued') interrupt(fleet, entry, state);
  }
}

export function goOffline(fleet: Fleet): void {
  const ending = new AbortController();
  fleet.probing = ending;
  stopAll(fleet, 'waiting');
  tell(fleet, { is: 'offline' });
  probe(fleet, ending.signal).catch(() => {}); // ends by being aborted
}

export function goOnline(fleet: Fleet): void {
  fleet.probing?.abort();
  fleet.probing = null;
  for (const entry of fleet.entries.values()) {
    if (entry.status.state === 'waiting') setState(fleet, entry, fleet.halt === null ? 'queued' : 'paused');
  }
  tell(fleet, { is: 'online' });
  pump(fleet);
}

/** Browsers are often wrong about being offline, so an answer from the server counts for more than their word. */
async function probe(fleet: Fleet, ending: AbortSignal): Promise<void> {
  const { clock, send } = fleet.ports;
  const request = { method: 'GET', url: fleet.probeUrl, headers: {}, body: null, signal: ending } as const;
  for (;;) {
    await clock.wait(probeEveryMs, ending);
    const isBack = await send({ ...request, onProgress() {} }).then(
      () => true,
      () => false,
    );
    if (isBack && !ending.aborted) {
      goOnline(fleet);
      return;
    }
  }
}

/** What a file may do beside those that are accepted already. */
export function acceptedSources(fleet: Fleet): FileSource[] {
  return [...fleet.entries.values()]
    .filter(({ status }) => status.state !== 'not-allowed' && status.state !== 'failed')
    .map(({ status }) => status.source);
}
