import { createTransfers, type TransferOptions, type Transfers } from './engine.ts';
import { createFakeClock, type FakeClock } from './fake-clock.fixture.ts';
import { createFakeServer, type FakeServer, type Fault, type ReceivedRequest } from './fake-server.fixture.ts';
import type { FileSource } from './ports.ts';
import type { FileState, FileStatus, SavedUpload, TransferEvent } from './states.ts';

export interface Kit {
  transfers: Transfers;
  server: FakeServer;
  clock: FakeClock;
  events: TransferEvent[];
  path(id: string): FileState[];
  file(id: string): FileStatus;
  saved(id: string): SavedUpload | null;
  /** Received chunk numbers, in order; null: the whole file. */
  chunks(name: string): (number | null)[];
}

export interface KitOptions extends Partial<TransferOptions> {
  fault?: (received: ReceivedRequest, number: number) => Fault | null;
  server?: FakeServer;
}

export function startKit({ fault, server: given, ...options }: KitOptions = {}): Kit {
  const server = given ?? createFakeServer(fault);
  const clock = createFakeClock();
  const events: TransferEvent[] = [];
  const transfers = createTransfers({
    send: server.send,
    clock,
    random: () => 0.5,
    uploadUrl: '/up',
    stateUrl: '/uploads/{id}',
    headers: { 'x-csrf-token': 't' },
    probeUrl: '/probe',
    chunkBytes: 10,
    ...options,
  });
  transfers.listen((event) => events.push(event));
  return {
    transfers,
    server,
    clock,
    events,
    path: (id) => events.flatMap((event) => (event.is === 'state' && event.file.id === id ? [event.file.state] : [])),
    file: (id) => transfers.files().find((file) => file.id === id)!,
    saved: (id) => lastSaved(events, id),
    chunks: (name) =>
      server.requests
        .filter((received) => received.method === 'POST' && received.name === name)
        .map(({ chunk }) => chunk),
  };
}

export function contentOf(name: string, sizeBytes: number): Buffer {
  return Buffer.from(Array.from({ length: sizeBytes }, (_, at) => (at * 31 + name.length * 7 + (at >> 8)) % 251));
}

export function sourceOf(name: string, sizeBytes: number): FileSource {
  const content = new Uint8Array(contentOf(name, sizeBytes));
  return {
    name,
    sizeBytes,
    modifiedAt: 1,
    contentType: 'text/plain',
    read: async (start, end) => content.slice(start, end),
  };
}

function lastSaved(events: TransferEvent[], id: string): SavedUpload | null {
  const uploads = events.flatMap((event) => (event.is === 'saved' && event.id === id ? [event.upload] : []));
  return uploads.at(-1) ?? null;
}
