// `--limit-rate`: one budget for everything that a command sends and receives.
import type { Clock } from '../transfer/ports.ts';

export interface Pacer {
  /** Resolves when these bytes may be sent. */
  beforeSending(bytes: number, signal: AbortSignal): Promise<void>;
  /** Resolves when the received bytes fit the budget. */
  afterReceiving(bytes: number, signal: AbortSignal): Promise<void>;
  /** Bodies are sent in portions of this size. */
  portionBytes: number;
  /** The longest pause that the limit causes on one connection. */
  longestPauseMs: number;
}

const largestPortionBytes = 256 * 1024;
const portionMs = 100;
/** Eight connections, each with one read buffer of Node. */
const mostReceivedBytes = 8 * 64 * 1024;

export function createPacer(bytesPerSecond: number | null, clock: Clock): Pacer {
  if (bytesPerSecond === null) {
    const pass = async () => {};
    return { beforeSending: pass, afterReceiving: pass, portionBytes: largestPortionBytes, longestPauseMs: 0 };
  }
  const costMs = (bytes: number) => (bytes * 1000) / bytesPerSecond;
  let paidUntil = -Infinity;
  const charge = (bytes: number) => {
    const start = Math.max(paidUntil, clock.now());
    paidUntil = start + costMs(bytes);
    return start;
  };
  const waitUntil = async (moment: number, signal: AbortSignal) => {
    const waitMs = moment - clock.now();
    if (waitMs > 0) await clock.wait(waitMs, signal);
  };
  return {
    beforeSending: (bytes, signal) => waitUntil(charge(bytes), signal),
    afterReceiving: (bytes, signal) => waitUntil(charge(bytes) + costMs(bytes), signal),
    portionBytes: Math.min(largestPortionBytes, Math.max(1, Math.floor((bytesPerSecond * portionMs) / 1000))),
    longestPauseMs: costMs(mostReceivedBytes),
  };
}
