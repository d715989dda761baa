// The limit of `--limit-rate`: one budget for everything a command sends and receives, over all connections.
import type { Clock } from '../transfer/ports.ts';

export interface Pacer {
  /** Resolves when these bytes may be sent: when everything before them has been paid for. */
  beforeSending(bytes: number, signal: AbortSignal): Promise<void>;
  /** Resolves when these bytes, which have arrived, have been paid for. */
  afterReceiving(bytes: number, signal: AbortSignal): Promise<void>;
  /** A body is sent in portions of this size, so that none of them exceeds the rate for long. */
  portionBytes: number;
  /** The longest silence that the limit itself causes on one connection. */
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
