// Memory per transfer: large batches for few transfers, small ones for many, so that memory is bounded.

const mebibyte = 1024 * 1024;
/** Shared by all transfers, as long as each gets the minimum. */
const sharedBytes = 16 * mebibyte;
/** MUST have space for one segment. */
const leastBytes = 80 * 1024;
/** Each transfer to another thread or the disk costs about as much as encrypting 200 KiB. */
export const mostBatchBytes = 2 * mebibyte;

/** Bytes of one write. In few sizes, so that buffers can be reused. */
export function batchBytes(activeTransfers: number): number {
  const fairBytes = Math.min(mostBatchBytes, sharedBytes / Math.max(1, activeTransfers));
  return Math.max(leastBytes, 2 ** Math.floor(Math.log2(fairBytes)));
}

/** Bytes of one read: fewer, because the client waits for the first ones. */
export function pieceBytes(activeTransfers: number): number {
  return Math.min(mebibyte, batchBytes(activeTransfers));
}

export interface Transfers {
  readonly active: number;
  /** Call the returned function at the end; it may be called again. */
  begin(): () => void;
}

export function countTransfers(): Transfers {
  let active = 0;
  return {
    get active() {
      return active;
    },
    begin() {
      active += 1;
      let isOver = false;
      return () => {
        if (!isOver) active -= 1;
        isOver = true;
      };
    },
  };
}
