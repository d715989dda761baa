// Page-aligned memory for large batches, which a disk can read without the page cache (disk-file.ts). Node has no call
// for it, but WebAssembly memory begins at a page. Returned memory, at most 16 MiB, is kept for the next upload; other
// sizes are ordinary memory.
import { releaseBytes } from './release.ts';
import { mostBatchBytes } from './transfers.ts';

/** Direct writes are a multiple of this, in memory and in the file. Larger blocks are rare. */
export const blockBytes = 4096;
const slotCount = 8;
const wasmPageBytes = 65_536;

const free: Buffer[] = [];
const slots = new WeakSet<Buffer>();
let memory: WebAssembly.Memory | null = null;
let madeSlots = 0;

export function takeMemory(lengthBytes: number): Buffer {
  return (lengthBytes === mostBatchBytes ? (free.pop() ?? newSlot()) : null) ?? Buffer.allocUnsafeSlow(lengthBytes);
}

/** Nothing may use these bytes any more. */
export function giveBack(bytes: Buffer): void {
  if (slots.has(bytes)) free.push(bytes);
  else releaseBytes(bytes);
}

/** Whether these are whole blocks of this memory. */
export function isWholeBlocks(bytes: Buffer): boolean {
  const isOurs = memory !== null && bytes.buffer === memory.buffer;
  return isOurs && bytes.byteOffset % blockBytes === 0 && bytes.length % blockBytes === 0 && bytes.length > 0;
}

/** Pages use memory from the first write. Null when all are in use, or WebAssembly is not available. */
function newSlot(): Buffer | null {
  if (madeSlots === slotCount) return null;
  try {
    const pages = (slotCount * mostBatchBytes) / wasmPageBytes;
    memory ??= new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch {
    madeSlots = slotCount;
    return null;
  }
  const slot = Buffer.from(memory.buffer, madeSlots * mostBatchBytes, mostBatchBytes);
  madeSlots += 1;
  slots.add(slot);
  return slot;
}
