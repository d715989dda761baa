// Frees large buffers immediately. Memory outside the heap makes the garbage collector run every 64 MiB, which takes as
// long as encrypting those bytes.

/** Smaller ones are not worth the call, and may be views of Node's shared pool. */
const worthwhileBytes = 1024;

/** Frees a buffer with a single owner; it has no bytes afterwards. Does nothing for a view of a larger one. */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (bytes.byteLength < worthwhileBytes || buffer.byteLength !== bytes.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
