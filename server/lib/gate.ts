// Small gates for asynchronous work: one at a time, or a few at a time with a bounded line in front. First come,
// first served. A task that fails frees its place like one that succeeds.

/** The gate and the line in front of it are full; trying again later makes sense. */
export class TooBusy extends Error {
  constructor() {
    super('too many of these are waiting already');
    this.name = 'TooBusy';
  }
}

export interface Gate {
  /** Runs the task when there is room. Rejects with `TooBusy` at once when the line is full. */
  run<Result>(task: () => Promise<Result> | Result): Promise<Result>;
  readonly running: number;
  readonly waiting: number;
}

/** One at a time, in order. The queue is bounded only on request, because a mutex usually has few callers. */
export function createMutex(queueLimit = Number.POSITIVE_INFINITY): Gate {
  return createSemaphore(1, queueLimit);
}

/** At most `limit` at a time, at most `queueLimit` waiting. */
export function createSemaphore(limit: number, queueLimit: number): Gate {
  const line: (() => void)[] = [];
  let running = 0;

  async function enter(): Promise<void> {
    if (running < limit) {
      running += 1;
      return;
    }
    if (line.length >= queueLimit) throw new TooBusy();
    // Whoever leaves hands its place over, so `running` stays as it is.
    await new Promise<void>((resolve) => line.push(resolve));
  }

  function leave(): void {
    const next = line.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    async run(task) {
      await enter();
      try {
        return await task();
      } finally {
        leave();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return line.length;
    },
  };
}
