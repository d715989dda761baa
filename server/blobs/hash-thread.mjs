// The other end of hash-offload.ts: a thread that hashes the slots it is sent, in order, and sends them back. Knows of
// no file, key or network. Not TypeScript: a thread that has to strip types first takes 10 MB more.
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

let hash = createHash('sha256');

parentPort?.on('message', (/** @type {import('./hash-offload.ts').SlotToHash} */ slot) => {
  const { memory, lengthBytes, isFirst, isLast } = slot;
  if (isFirst) hash = createHash('sha256');
  hash.update(new Uint8Array(memory, 0, lengthBytes));
  parentPort?.postMessage({ memory, sha256: isLast ? hash.digest('hex') : null }, [memory]);
});
