// Keeps SQLite's write-ahead log short: a worker thread copies it into the database file when it has grown, and empties
// it on request.
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { threadScript } from '../../lib/program-files.ts';
import { DatabaseBusy, DatabaseUnavailable } from './errors.ts';
import type { WriteLock } from './write-lock.ts';

/** PASSIVE copies what it can. RESTART and TRUNCATE also restart the log. VACUUM rewrites the whole database. */
export type CheckpointMode = 'PASSIVE' | 'RESTART' | 'TRUNCATE' | 'VACUUM';
export type CheckpointAnswer = { isComplete: boolean } | { error: { message: string; errcode: number | undefined } };

export interface Checkpointer {
  /** Call it after each commit. Returns immediately. */
  noteCommit(): void;
  /** Copies everything into the database file and empties the log. The caller holds the write lock. */
  truncate(): Promise<void>;
  /** Also rewrites the database file without remains of deleted rows. The caller holds the write lock. */
  rewrite(): Promise<void>;
  close(): Promise<void>;
}

export interface CheckpointLimits {
  /** Copying begins at this number of frames (pages of 4 KiB) that are not copied yet. */
  framesToCopy: number;
  /** Writers wait at this number of frames, because constant writing would otherwise grow the log without end. */
  framesMax: number;
  commitsBetweenLooks: number;
  msBetweenLooks: number;
}

const LIMITS: CheckpointLimits = {
  framesToCopy: 1000,
  framesMax: 4000,
  commitsBetweenLooks: 100,
  msBetweenLooks: 1000,
};

export function createCheckpointer(
  { path, reader, lock }: { path: string; reader: DatabaseSync; lock: WriteLock },
  onError: (error: unknown) => void,
  limits: CheckpointLimits = LIMITS,
): Checkpointer {
  const thread = createThread(path);
  let commits = 0;
  let lookedAt = performance.now();
  let running: Promise<void> | null = null;

  async function copy(): Promise<void> {
    const before = measureLog(reader);
    if (before.pending < limits.framesToCopy) return;
    await thread.ask('PASSIVE');
    if (before.length < limits.framesMax) return;
    const release = await lock.acquire();
    try {
      await thread.ask('RESTART');
    } finally {
      release();
    }
  }

  async function truncate(): Promise<void> {
    // Does not wait for `running`, which may wait for the lock that the caller holds.
    if (!(await thread.ask('TRUNCATE'))) throw new DatabaseBusy('a reader uses the write-ahead log');
  }

  return {
    noteCommit() {
      commits++;
      const isTime = commits >= limits.commitsBetweenLooks || performance.now() - lookedAt > limits.msBetweenLooks;
      if (!isTime || running) return;
      commits = 0;
      lookedAt = performance.now();
      running = copy()
        .catch(onError)
        .finally(() => {
          running = null;
        });
    },
    truncate,
    async rewrite() {
      await thread.ask('VACUUM');
      await truncate();
    },
    async close() {
      await running;
      await thread.close();
    },
  };
}

/** The length of the log, and how much of it is not copied yet. Takes a few microseconds. */
function measureLog(database: DatabaseSync): { length: number; pending: number } {
  const answer = database.prepare('PRAGMA wal_checkpoint(NOOP)').get();
  const length = Number(answer?.log ?? 0);
  return { length, pending: length - Number(answer?.checkpointed ?? 0) };
}

function createThread(path: string) {
  let worker: Worker | null = null;
  let waiting: PromiseWithResolvers<boolean>[] = [];

  function failAll(error: unknown): void {
    worker = null;
    for (const each of waiting) each.reject(new DatabaseUnavailable('the checkpoint thread ended', error));
    waiting = [];
  }

  function start(): Worker {
    // The thread does not inherit options of the main program, such as an inspector.
    const options = { workerData: { path }, execArgv: [] };
    const started = new Worker(threadScript('db/engine/checkpoint-worker.ts'), options);
    started.on('message', (answer: CheckpointAnswer) => {
      const asked = waiting.shift();
      if (waiting.length === 0) started.unref();
      if ('isComplete' in answer) asked?.resolve(answer.isComplete);
      else asked?.reject(new DatabaseUnavailable('a checkpoint failed', Object.assign(new Error(), answer.error)));
    });
    started.on('error', failAll);
    started.on('exit', failAll);
    return started;
  }

  return {
    ask(mode: CheckpointMode): Promise<boolean> {
      worker ??= start();
      const asked = Promise.withResolvers<boolean>();
      waiting.push(asked);
      // The thread keeps the process alive only while a caller waits.
      worker.ref();
      worker.postMessage(mode);
      return asked.promise;
    },
    async close(): Promise<void> {
      if (!worker) return;
      const ended = new Promise((resolve) => worker?.once('exit', resolve));
      worker.ref();
      worker.postMessage('close');
      await ended;
    },
  };
}
