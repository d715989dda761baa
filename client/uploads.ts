// One file to the server: in pieces side by side, through cut lines, stopped and resumed.

import { adaptiveConcurrency } from '../transfer/concurrency.ts';
import { createTransfers } from '../transfer/engine.ts';
import type { FileSource } from '../transfer/ports.ts';
import { isOver, type SavedUpload } from '../transfer/states.ts';
import { timers } from '../transfer/timers.ts';
import { sendByFetch, sourceOfBlob } from './network.ts';

export interface UploadOptions {
  /** As the file will be called; needed for a Blob that has no name. */
  name?: string;
  /** What it is going to be part of; `message` unless said. */
  purpose?: 'message' | 'link';
  onProgress?(sentBytes: number, totalBytes: number): void;
  /** Stops it; what has arrived stays for a day. */
  signal?: AbortSignal;
  /** Told after each piece: keep it, and give it as `resume` to go on later with the same file. */
  onSaved?(saved: SavedUpload): void;
  resume?: SavedUpload;
}

/** The server did not take the file; `message` says why, in words for people. */
export class UploadRefused extends Error {
  override name = 'UploadRefused';
}

export interface Wire {
  server: string;
  /** Adds the API key where it belongs. */
  fetch: typeof fetch;
}

const memoryBytes = 32 * 1024 * 1024;
const chunkBytes = 8 * 1024 * 1024;

/** Resolves with the id to name in `attachments` of a message or `attachment` of a link. */
export function upload(wire: Wire, file: Blob | FileSource, options: UploadOptions): Promise<string> {
  const source = 'read' in file ? file : sourceOfBlob(file, nameOf(file, options.name));
  const { signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const transfers = createTransfers({
    send: sendByFetch(wire.fetch),
    clock: timers,
    random: Math.random,
    uploadUrl: `${wire.server}/${options.purpose ?? 'message'}/attachments/upload`,
    stateUrl: `${wire.server}/uploads/{id}`,
    headers: {},
    firstUploadId: 'new',
    probeUrl: `${wire.server}/healthz`,
    chunkBytes,
    concurrency: adaptiveConcurrency(memoryBytes / chunkBytes),
  });
  const stop = () => reject(signal?.reason);
  transfers.listen((event) => {
    if (event.is === 'saved') options.onSaved?.(event.upload);
    if (event.is === 'progress') options.onProgress?.(event.file.sentBytes, source.sizeBytes);
    if (event.is === 'halted') reject(new UploadRefused(event.sentence ?? haltWords[event.reason]));
    if (event.is !== 'state' || !isOver(event.file.state)) return;
    if (event.file.attachmentId !== null) resolve(event.file.attachmentId);
    else reject(new UploadRefused(event.file.sentence ?? failureWords[event.file.reason ?? 'refused']));
  });
  if (signal?.aborted === true) stop();
  else {
    signal?.addEventListener('abort', stop, { once: true });
    transfers.add(source, options.resume ?? null);
  }
  return promise.finally(() => {
    signal?.removeEventListener('abort', stop);
    transfers.close();
  });
}

const haltWords = {
  'signed-out': 'The server does not accept the API key.',
  full: 'The server has no room left.',
};

const failureWords = {
  refused: 'The server did not take the file.',
  differs: 'What arrived was not what was sent.',
  unreadable: 'The file could no longer be read, or was changed meanwhile.',
};

function nameOf(file: Blob, given: string | undefined): string {
  const name = given ?? ('name' in file && typeof file.name === 'string' ? file.name : undefined);
  if (name === undefined) throw new TypeError('A Blob has no name of its own: give one as `name`.');
  return name;
}
