// How many pieces of a file travel at the same time: begins with two and takes more while that makes it faster. A line
// with long ways or losses gains by every further connection; a fast one gains nothing and keeps its memory.

export interface Width {
  now(): number;
  /** A piece has arrived. */
  note(bytes: number, nowMs: number): void;
}

const steps = [2, 3, 4, 6, 8];
/** Less than this is noise. */
const leastGain = 1.1;
/** A width is judged after so many pieces for each connection, and not before this time. */
const piecesPerConnection = 3;
const leastMs = 500;

/** `most`: what memory permits. */
export function growingWidth(most: number): Width {
  const allowed = steps.filter((step) => step <= most);
  let step = 0;
  let isSettled = false;
  let best = 0;
  let since: number | null = null;
  let pieces = 0;
  let bytes = 0;
  const width = () => allowed[step] ?? 1;
  return {
    now: width,
    note(arrivedBytes, nowMs) {
      if (isSettled) return;
      // The first piece only starts the watch: what it took to arrive was begun under another width.
      if (since === null) {
        since = nowMs;
        return;
      }
      pieces += 1;
      bytes += arrivedBytes;
      const tookMs = nowMs - since;
      if (pieces < width() * piecesPerConnection || tookMs < leastMs) return;
      const rate = bytes / tookMs;
      const hasGained = rate > best * leastGain;
      if (hasGained) best = rate;
      else step -= 1;
      isSettled = !hasGained || step === allowed.length - 1;
      if (hasGained && !isSettled) step += 1;
      [since, pieces, bytes] = [null, 0, 0];
    },
  };
}

export function fixedWidth(width: number): Width {
  return { now: () => width, note() {} };
}
