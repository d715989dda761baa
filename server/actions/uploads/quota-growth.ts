// Reserves quota in steps for an upload of unannounced length, slightly ahead of its bytes.
import type { Problem } from '../../domain/problem.ts';
import type { QueuePlace } from './quota-queue.ts';

/** An eighth of the received bytes, within these limits. */
const leastAheadBytes = 64 * 1024;
const mostAheadBytes = 64 * 1024 * 1024;
/** The stored size is always checked exactly. */
const overshootBytes = 64 * 1024;

/** The caller MUST await a returned promise before reading on. */
export type Meter = (count: number) => Promise<void> | undefined;

type Reserve = (bytes: number) => Promise<boolean>;

interface Growth {
  /** Throws when the bytes do not fit. */
  addBytes: Meter;
  /** Call after the last byte. */
  reserveRest(): Promise<void>;
  stop(): Promise<void>;
  finish(): void;
}

export const noGrowth: Growth = {
  addBytes: () => undefined,
  reserveRest: async () => {},
  stop: async () => {},
  finish() {},
};

/**
 * Reserves ahead if there is space, otherwise only the missing bytes. A failed query is no refusal; the next bytes try
 * again.
 */
export function createGrowth(reserve: Reserve, queue: QueuePlace, full: () => Problem): Growth {
  let receivedBytes = 0;
  let reservedBytes = 0;
  let isRefused = false;
  let isStopped = false;
  let growing: Promise<void> | null = null;

  const tryGrowing = async () => {
    const missing = Math.max(receivedBytes - reservedBytes, 0);
    const ahead = Math.min(Math.max(Math.floor(receivedBytes / 8), leastAheadBytes), mostAheadBytes);
    for (const step of [missing + ahead, missing]) {
      if (step === 0 || isStopped || !(await reserve(step))) continue;
      reservedBytes += step;
      isRefused = false;
      return;
    }
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
  /** False when there is no space and waiting cannot help. */
  const retry = async (): Promise<boolean> => {
    for (;;) {
      // Before reserving, so that no end is missed.
      const laterEnded = queue.laterEnded();
      await grow();
      if (!isRefused) return true;
      if (laterEnded === null || !(await laterEnded) || isStopped) return false;
    }
  };
  return {
    addBytes(count) {
      receivedBytes += count;
      if (growing !== null) return receivedBytes - reservedBytes > overshootBytes ? growing : undefined;
      if (receivedBytes < reservedBytes - leastAheadBytes / 2) return;
      if (isRefused && receivedBytes - reservedBytes > overshootBytes)
        return retry().then((fits) => orThrow(fits, full));
      void grow();
      return;
    },
    async reserveRest() {
      await growing;
      // A repeated chunk needs no space.
      if (receivedBytes > reservedBytes) await retry();
    },
    async stop() {
      isStopped = true;
      await growing;
    },
    finish: queue.end,
  };
}

function orThrow(fits: boolean, full: () => Problem): void {
  if (!fits) throw full();
}
