// Runs a few tasks in the background. The next call reports the first failure.

export interface Background {
  /** Resolves when the task has begun. Rejects if an earlier task has failed. */
  start(task: () => Promise<unknown>): Promise<void>;
  /** Resolves or rejects when every task has ended. */
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
