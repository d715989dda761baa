// Ends a command after a time without progress. Sent bytes count only beyond the highest count so far, or else a
// server that refuses each attempt after its first bytes would be retried for ever.
import type { Clock } from '../transfer/ports.ts';
import type { TransferEvent } from '../transfer/states.ts';

export interface Patience {
  /** `sentBytes`: of all files together. */
  note(event: TransferEvent, sentBytes: number): void;
  end(): void;
}

/** Checks this many times within the limit. */
const parts = 5;

export function startPatience(clock: Clock, patienceMs: number, giveUp: () => void): Patience {
  const ending = new AbortController();
  let [highest, hasMoved] = [0, false];
  void watch(clock, { partMs: patienceMs / parts, signal: ending.signal }, () => {
    const moved = hasMoved;
    hasMoved = false;
    return moved;
  }).then(
    () => giveUp(),
    () => {}, // ended before
  );
  return {
    note({ is }, sentBytes) {
      // Count again from here, because parts may be sent again.
      if (is !== 'saved' && (is !== 'progress' || sentBytes <= highest)) return;
      highest = sentBytes;
      hasMoved = true;
    },
    end: () => ending.abort(),
  };
}

async function watch(
  clock: Clock,
  { partMs, signal }: { partMs: number; signal: AbortSignal },
  hasMoved: () => boolean,
): Promise<void> {
  for (let still = 0; still < parts; ) {
    await clock.wait(partMs, signal);
    still = hasMoved() ? 0 : still + 1;
  }
}
