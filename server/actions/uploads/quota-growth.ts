// Reserves quota for an upload that announces no length, in steps, a little ahead of its bytes. The caller's `reserve` decides
// what fits.
import type { Problem } from '../../domain/problem.ts';
import type { Turn } from './quota-turns.ts';

/** Reserved beyond the received bytes: an eighth of the file, within limits. */
const leastAheadBytes = 64 * 1024;
const mostAheadBytes = 64 * 1024 * 1024;
/** Bytes may be this far ahead of their reservation; the stored size is always checked exactly. */
const overshootBytes = 64 * 1024;

interface Growth {
  /** Counts received bytes; throws when they do not fit. The caller awaits a promise before it reads on. */
  take(count: number): Promise<void> | undefined;
  /** After the last byte. */
  settle(): Promise<void>;
  /** Reserves no more. */
  stop(): Promise<void>;
  /** Ends the turn: the reservation was released, or the file stored. */
  end(): void;
}

export const noGrowth: Growth = { take: () => undefined, settle: async () => {}, stop: async () => {}, end() {} };

/** Reserves one step at a time: a little ahead while there is room, else only what is needed. */
export function createGrowth(reserve: (bytes: number) => Promise<boolean>, turn: Turn, full: () => Problem): Growth {
  let takenBytes = 0;
  let reservedBytes = 0;
  let isRefused = false;
  let isStopped = false;
  let growing: Promise<void> | null = null;

  const tryGrowing = async () => {
    const missing = Math.max(takenBytes - reservedBytes, 0);
    const ahead = Math.min(Math.max(Math.floor(takenBytes / 8), leastAheadBytes), mostAheadBytes);
    for (const step of [missing + ahead, missing]) {
      if (step === 0 || isStopped || !(await reserve(step))) continue;
      reservedBytes += step;
      isRefused = false;
      return;
    }
    // Only a full answer is one: a database that could not be asked refuses nothing, and the next bytes ask again.
    isRefused = true;
  };
  const grow = () => {
    growing = tryGrowing()
      .catch(() => {
        isRefused = false;
      })
      .finally(() => {
        growing = null;
      });
    return growing;
  };
  /** Asks until there is an answer that will not change by waiting; false when there is no room. */
  const insist = async (): Promise<boolean> => {
    for (;;) {
      // Before asking, so that no end is missed.
      const laterEnded = turn.laterEnded();
      await grow();
      if (!isRefused) return true;
      if (laterEnded === null || !(await laterEnded) || isStopped) return false;
    }
  };
  return {
    take(count) {
      takenBytes += count;
      if (growing !== null) return takenBytes - reservedBytes > overshootBytes ? growing : undefined;
      if (takenBytes < reservedBytes - leastAheadBytes / 2) return;
      if (isRefused && takenBytes - reservedBytes > overshootBytes) return insist().then((fits) => orThrow(fits, full));
      void grow();
      return;
    },
    async settle() {
      await growing;
      // Refused or not, what is stored is checked exactly; a piece that came again needs no room at all.
      if (takenBytes > reservedBytes) await insist();
    },
    async stop() {
      isStopped = true;
      await growing;
    },
    end: turn.end,
  };
}

function orThrow(fits: boolean, full: () => Problem): void {
  if (!fits) throw full();
}
