// Low-priority threads for hashing, so that guessing passwords cannot slow down downloads.
import type { Argon2Parameters } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { threadScript } from './program-files.ts';

export interface PasswordThreads {
  /** Rejects if the thread dies; the next call starts another. */
  hash(settings: Argon2Parameters): Promise<Buffer>;
}

interface Thread {
  worker: Worker;
  job: PromiseWithResolvers<Buffer>;
}

/** Under contention hashing gets a sixth of a core. */
const niceness = 8;
const idleMs = 60_000;

/** The caller limits how many run. */
export function openPasswordThreads(
  script: URL = threadScript('lib/password-thread.mjs'),
  restMs: number = idleMs,
): PasswordThreads {
  const idle = new Map<Thread, NodeJS.Timeout>();

  function start(): Thread {
    const worker = new Worker(script, { env: {}, execArgv: [], workerData: { niceness } });
    const thread: Thread = { worker, job: Promise.withResolvers<Buffer>() };
    worker.on('message', (tag: Uint8Array) => {
      thread.job.resolve(Buffer.from(tag));
      rest(thread);
    });
    const fail = (cause?: unknown) => {
      clearTimeout(idle.get(thread));
      idle.delete(thread);
      thread.job.reject(new Error('a thread for passwords ended', { cause }));
    };
    worker.on('error', fail);
    worker.on('exit', () => fail());
    return thread;
  }

  /** An idle thread does not keep the process alive. */
  function rest(thread: Thread): void {
    thread.worker.unref();
    const timer = setTimeout(() => {
      idle.delete(thread);
      void thread.worker.terminate();
    }, restMs);
    idle.set(thread, timer.unref());
  }

  function take(): Thread {
    const [known] = idle;
    if (known === undefined) return start();
    const [thread, timer] = known;
    clearTimeout(timer);
    idle.delete(thread);
    thread.job = Promise.withResolvers<Buffer>();
    thread.worker.ref();
    return thread;
  }

  return {
    hash(settings) {
      const { worker, job } = take();
      // An idle thread that ends has no pending job to reject.
      job.promise.catch(() => {});
      worker.postMessage(settings);
      return job.promise;
    },
  };
}
