// Small gates for asynchronous work: one at a time, or a few at a time with a bounded queue in front. Parties take turns in
// the queue; within one party the order of arrival decides. A task that fails frees its place like one that succeeds.

/** The gate and its queue are full; trying again later makes sense. */
export class TooBusy extends Error {
  constructor() {
    super('too many of these are waiting already');
    this.name = 'TooBusy';
  }
}

export interface Gate {
  /**
   * Runs the task when there is room. When the queue is full, the party with the most waiting tasks loses its newest one to a
   * party with fewer, which rejects with `TooBusy`; without such a party the new task is rejected.
   */
  run<Result>(task: () => Promise<Result> | Result, party?: string): Promise<Result>;
  readonly running: number;
  readonly waiting: number;
}

/** One at a time, in order. The queue is bounded only on request, because a mutex usually has few callers. */
export function createMutex(queueLimit = Number.POSITIVE_INFINITY): Gate {
  return createSemaphore(1, queueLimit);
}

interface Waiting {
  start(): void;
  refuse(error: TooBusy): void;
}

/** At most `limit` at a time, at most `queueLimit` waiting. */
export function createSemaphore(limit: number, queueLimit: number): Gate {
  /** The party whose turn is next comes first. */
  const queues = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  async function enter(party: string): Promise<void> {
    if (running < limit) {
      running += 1;
      return;
    }
    if (waiting >= queueLimit) makeRoom(party);
    waiting += 1;
    const queue = queues.get(party) ?? [];
    queues.set(party, queue);
    await new Promise<void>((start, refuse) => queue.push({ start, refuse }));
  }

  function makeRoom(party: string): void {
    const own = queues.get(party)?.length ?? 0;
    const longest = [...queues.values()].reduce((most, queue) => (queue.length > most.length ? queue : most), []);
    if (longest.length <= own + 1) throw new TooBusy();
    waiting -= 1;
    longest.pop()!.refuse(new TooBusy());
  }

  function leave(): void {
    const [turn] = queues;
    if (turn === undefined) {
      running -= 1;
      return;
    }
    // The slot passes to the next waiter, so `running` stays the same.
    const [party, queue] = turn;
    const next = queue.shift()!;
    queues.delete(party);
    if (queue.length > 0) queues.set(party, queue);
    waiting -= 1;
    next.start();
  }

  return {
    async run(task, party = '') {
      await enter(party);
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
      return waiting;
    },
  };
}
