// How much memory one transfer may use: large batches while there are few transfers, small ones while there are many,
// so that memory stays bounded at any number (security I38).

const mebibyte = 1024 * 1024;
/** Shared by all transfers, as long as each gets the least that is useful. */
const sharedBytes = 16 * mebibyte;
/** Must have room for one segment. */
const leastBytes = 80 * 1024;
/** Each hand-over to another thread or to the disk costs about as much as the encryption of 200 KiB. */
export const mostBatchBytes = 2 * mebibyte;

/** Bytes of one write for this many transfers. In few steps, so that buffers can be used again. */
export function batchBytes(activeTransfers: number): number {
  const fairBytes = Math.min(mostBatchBytes, sharedBytes / Math.max(1, activeTransfers));
  return Math.max(leastBytes, 2 ** Math.floor(Math.log2(fairBytes)));
}

/** Bytes of one read for this many transfers: less, because the client waits for the first ones. */
export function pieceBytes(activeTransfers: number): number {
  return Math.min(mebibyte, batchBytes(activeTransfers));
}

/** Counts the transfers running in this process. */
export interface Transfers {
  readonly active: number;
  /** Call the returned function when the transfer is over; more than once does no harm. */
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
