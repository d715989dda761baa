// Queues writers of this process, first come, first served. Between processes SQLite's lock decides, which has no
// queue; so a process that writes constantly pauses now and then, to let others get the lock.
import { DatabaseBusy } from './errors.ts';

export interface WriteLock {
  /** Resolves with the function that releases the lock. Rejects with `DatabaseBusy` at the timeout. */
  acquire(): Promise<() => void>;
}

/** How long a process may write without a pause, and how long it then pauses. */
const TURN_MS = 20;
const STEP_BACK_MS = 3;
/** A pause this long lets a waiting process get the lock. */
const GAP_MS = 2;

interface Waiter {
  grant: (release: () => void) => void;
  timer: NodeJS.Timeout | undefined;
}

export function createWriteLock(timeoutMs: number): WriteLock {
  // In the order of arrival. An array, because deleting from a set is slow here (see connections.ts).
  const waiting: Waiter[] = [];
  let isTaken = false;
  let turnBeganAt = 0;
  let releasedAt = 0;

  function release(): void {
    isTaken = false;
    releasedAt = performance.now();
    grantNext();
  }

  function pauseForOthers(): void {
    isTaken = true;
    setTimeout(() => {
      turnBeganAt = performance.now();
      release();
    }, STEP_BACK_MS);
  }

  function grantNext(): void {
    if (isTaken || waiting.length === 0) return;
    const now = performance.now();
    if (now - releasedAt >= GAP_MS) turnBeganAt = now;
    if (now - turnBeganAt > TURN_MS) {
      pauseForOthers();
      return;
    }
    isTaken = true;
    const first = waiting.shift()!;
    clearTimeout(first.timer);
    first.grant(release);
  }

  return {
    acquire() {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = { grant: resolve, timer: undefined };
        waiting.push(waiter);
        grantNext();
        if (waiting.at(-1) !== waiter) return;
        waiter.timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(new DatabaseBusy(`waited ${timeoutMs} ms behind other transactions`));
        }, timeoutMs);
      });
    },
  };
}
