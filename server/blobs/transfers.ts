// How much memory one transfer may use: large batches while there are few transfers, small ones while there are many,
// so that memory stays bounded at any number (security I38).

/** Bytes read or written at once by each of so many transfers. */
export function batchBytes(activeTransfers: number): number {
  if (activeTransfers <= 16) return 1024 * 1024;
  if (activeTransfers <= 64) return 256 * 1024;
  return 128 * 1024;
}

/** Counts what is going on in this process. */
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
