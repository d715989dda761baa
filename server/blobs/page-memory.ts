// Memory of whole pages for large batches: a disk can take them from there itself, without a copy in the page cache
// (disk-file.ts). Node has no call for such memory, but that of WebAssembly begins at a page. What it has given out once
// is kept for the next upload, 16 MiB at most; requests for more, or for other sizes, get ordinary memory.
import { releaseBytes } from './release.ts';
import { mostBatchBytes } from './transfers.ts';

/** One write to a disk is a multiple of this, in memory and in the file. Larger blocks than this are rare. */
export const blockBytes = 4096;
const slotCount = 8;
const wasmPageBytes = 65_536;

const free: Buffer[] = [];
const slots = new WeakSet<Buffer>();
let memory: WebAssembly.Memory | null = null;
let madeSlots = 0;

/** Returned with `giveBack`. */
export function takeMemory(lengthBytes: number): Buffer {
  return (lengthBytes === mostBatchBytes ? (free.pop() ?? newSlot()) : null) ?? Buffer.allocUnsafeSlow(lengthBytes);
}

/** Nothing may read or write these bytes any more. */
export function giveBack(bytes: Buffer): void {
  if (slots.has(bytes)) free.push(bytes);
  else releaseBytes(bytes);
}

/** Whether these are whole blocks of the memory of this file. */
export function isWholeBlocks(bytes: Buffer): boolean {
  const isOurs = memory !== null && bytes.buffer === memory.buffer;
  return isOurs && bytes.byteOffset % blockBytes === 0 && bytes.length % blockBytes === 0 && bytes.length > 0;
}

/** Its pages take room from the first write into them. Null when all are out, or the engine has no WebAssembly. */
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
