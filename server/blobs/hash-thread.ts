// The other end of hash-offload.ts: a thread that hashes the slots it is sent, in order, and sends them back. Knows of
// no file, key or network.
import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** Memory that goes to the thread and comes back. (Shared memory is slower: the engine copies into it byte by byte.) */
export interface SlotToHash {
  memory: ArrayBuffer;
  lengthBytes: number;
  /** Begins a new hash. */
  isFirst: boolean;
  /** Asks for the result. */
  isLast: boolean;
}

export interface HashedSlot {
  memory: ArrayBuffer;
  sha256: string | null;
}

let hash: Hash = createHash('sha256');

parentPort?.on('message', ({ memory, lengthBytes, isFirst, isLast }: SlotToHash) => {
  if (isFirst) hash = createHash('sha256');
  hash.update(new Uint8Array(memory, 0, lengthBytes));
  const answer: HashedSlot = { memory, sha256: isLast ? hash.digest('hex') : null };
  parentPort?.postMessage(answer, [memory]);
});
