import { adaptiveConcurrency } from '../transfer/concurrency.ts';
import { createTransfers } from '../transfer/engine.ts';
import { deferred } from '../transfer/older-platforms.ts';
import type { FileSource } from '../transfer/ports.ts';
import { isOver, type SavedUpload } from '../transfer/states.ts';
import { timers } from '../transfer/timers.ts';
import { sendByFetch, sourceOfBlob } from './network.ts';

export interface UploadOptions {
  /** Required for a Blob without a name. */
  name?: string;
  purpose?: 'message' | 'link';
  onProgress?(sentBytes: number, totalBytes: number): void;
  /** The server keeps received chunks for a day. */
  signal?: AbortSignal;
  /** Pass the last value as `resume` to continue with the same file. */
  onSaved?(saved: SavedUpload): void;
  resume?: SavedUpload;
}

/** `message` is the server's reason for users. */
export class UploadRefused extends Error {
  override name = 'UploadRefused';
}

export interface Wire {
  server: string;
  /** Adds the API key to requests to `server`. */
  fetch: typeof fetch;
}

const memoryBytes = 32 * 1024 * 1024;
const chunkBytes = 8 * 1024 * 1024;

/** Resolves with the attachment id. */
export function upload(wire: Wire, file: Blob | FileSource, options: UploadOptions): Promise<string> {
  const source = 'read' in file ? file : sourceOfBlob(file, nameOf(file, options.name));
  const { signal } = options;
  const { promise, resolve, reject } = deferred<string>();
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
    followsConnection: true,
    concurrency: adaptiveConcurrency(memoryBytes / chunkBytes),
  });
  const stop = () => reject(signal?.reason);
  transfers.listen((event) => {
    if (event.is === 'saved') options.onSaved?.(event.upload);
    if (event.is === 'progress') options.onProgress?.(event.file.sentBytes, source.sizeBytes);
    if (event.is === 'halted') reject(new UploadRefused(event.sentence ?? haltMessages[event.reason]));
    if (event.is !== 'state' || !isOver(event.file.state)) return;
    if (event.file.attachmentId !== null) resolve(event.file.attachmentId);
    else reject(new UploadRefused(event.file.sentence ?? failureMessages[event.file.reason ?? 'refused']));
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

const haltMessages = {
  'signed-out': 'The server does not accept the API key.',
  full: 'The server has no storage space left.',
};

const failureMessages = {
  refused: 'The server refused the file.',
  differs: 'The uploaded file differs from the original.',
  unreadable: 'The file could not be read, or was changed during the upload.',
};

function nameOf(file: Blob, given: string | undefined): string {
  const name = given ?? ('name' in file && typeof file.name === 'string' ? file.name : undefined);
  if (name === undefined) throw new TypeError('A Blob has no name: pass one as `name`.');
  return name;
}
