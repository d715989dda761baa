// Work that runs while its caller does something else: a few tasks at a time. The first failure is reported to the caller that
// starts the next one or waits for the end.

export interface Background {
  /** Resolves when the task has begun, immediately while a slot is free. Rejects if an earlier task has failed. */
  start(task: () => Promise<unknown>): Promise<void>;
  /** Resolves when every task is over; rejects, also only then, with the first failure. */
  finish(): Promise<void>;
}

export function createBackground(limit: number): Background {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;

  function assertNoFailure(): void {
    if (failure !== null) throw failure.error;
  }

  async function run(task: () => Promise<unknown>): Promise<void> {
    try {
      await task();
    } catch (error) {
      failure ??= { error };
    }
  }

  return {
    async start(task) {
      while (running.size >= limit) await Promise.race(running);
      assertNoFailure();
      const going: Promise<void> = run(task).then(() => void running.delete(going));
      running.add(going);
    },
    async finish() {
      while (running.size > 0) await Promise.all(running);
      assertNoFailure();
    },
  };
}
