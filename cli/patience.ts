// How long a command goes on when nothing arrives. Bytes that have left count only when they go beyond what was there
// before: a server that refuses each attempt after its first bytes would otherwise be asked for ever.
import type { Clock } from '../transfer/ports.ts';
import type { TransferEvent } from '../transfer/states.ts';

export interface Patience {
  /** `sentBytes`: of all files together, as counted now. */
  note(event: TransferEvent, sentBytes: number): void;
  end(): void;
}

/** It ends after the last movement within this many parts of the time, so it is late by one part at most. */
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
      // A piece has arrived, or an upload was begun: from here on less may be more, because parts of it are sent again.
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
