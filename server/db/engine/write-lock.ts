// Who may write to SQLite next, within this process: first come, first served. Between processes SQLite's own lock
// decides, and it has no queue; so a process that writes without a gap steps back for a moment now and then, because
// the others can only try again and would hardly ever meet the lock open.
import { DatabaseBusy } from './errors.ts';

export interface WriteLock {
  /** Resolves with the function that gives the lock back. Rejects with `DatabaseBusy` when the timeout is over. */
  acquire(): Promise<() => void>;
}

/** How long one process may keep the others out, and how long it then stays away. */
const TURN_MS = 20;
const STEP_BACK_MS = 3;
/** A pause this long is enough for a waiting process to come in. */
const GAP_MS = 2;

interface Waiter {
  grant: (release: () => void) => void;
  timer: NodeJS.Timeout | undefined;
}

export function createWriteLock(timeoutMs: number): WriteLock {
  // In the order of arrival. No set: see connections.ts for what deleting from one costs.
  const waiting: Waiter[] = [];
  let isTaken = false;
  let turnBeganAt = 0;
  let releasedAt = 0;

  function release(): void {
    isTaken = false;
    releasedAt = performance.now();
    passOn();
  }

  function stepBack(): void {
    isTaken = true;
    setTimeout(() => {
      turnBeganAt = performance.now();
      release();
    }, STEP_BACK_MS);
  }

  function passOn(): void {
    if (isTaken || waiting.length === 0) return;
    const now = performance.now();
    if (now - releasedAt >= GAP_MS) turnBeganAt = now;
    if (now - turnBeganAt > TURN_MS) {
      stepBack();
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
        passOn();
        if (waiting.at(-1) !== waiter) return;
        waiter.timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(new DatabaseBusy(`waited ${timeoutMs} ms behind other transactions`));
        }, timeoutMs);
      });
    },
  };
}
