// Frees large buffers immediately instead of leaving them to the garbage collector. Memory outside the heap makes the
// collector run over the whole heap every 64 MiB, which costs as much as the encryption of those bytes.

/** Smaller ones are not worth the call; those from Node's shared pool are views of something larger. */
const worthwhileBytes = 1024;

/**
 * Frees the memory of an unused buffer; it has no bytes afterwards. Only for a buffer that we own
 * alone. A view of something larger is left as it is.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (bytes.byteLength < worthwhileBytes || buffer.byteLength !== bytes.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
