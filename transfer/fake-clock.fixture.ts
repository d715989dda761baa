// Time passes only through `advance`.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from './ports.ts';

interface Waiter {
  at: number;
  resolve(): void;
}

export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>;
  /** Timers stay unchanged. */
  jump(ms: number): void;
  pending(): number;
}

export function createFakeClock(): FakeClock {
  let elapsedMs = 0;
  let offsetMs = 1_000_000;
  const waiters = new Set<Waiter>();

  return {
    now: () => elapsedMs + offsetMs,
    jump(ms) {
      offsetMs += ms;
    },
    pending: () => waiters.size,
    wait(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new Error('aborted'));
        const waiter: Waiter = {
          at: elapsedMs + ms,
          resolve() {
            waiters.delete(waiter);
            signal.removeEventListener('abort', stop);
            resolve();
          },
        };
        const stop = () => {
          waiters.delete(waiter);
          reject(new Error('aborted'));
        };
        signal.addEventListener('abort', stop, { once: true });
        waiters.add(waiter);
      });
    },
    async advance(ms) {
      const until = elapsedMs + ms;
      await runPending();
      for (;;) {
        const due = [...waiters].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
        if (!due) break;
        elapsedMs = due.at;
        due.resolve();
        await runPending();
      }
      elapsedMs = until;
    },
  };
}

/** Runs everything that can run without time passing. */
export async function runPending(): Promise<void> {
  for (let turns = 0; turns < 4; turns += 1) await turn();
}
