// SHA-256 of one large upload in a worker thread, parallel to the encryption: hashing is more than half of the work.
// Only for a single transfer: with several, other processes use the other cores better. The thread starts when it is
// first needed.
import { createHash, type Hash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { threadScript } from '../lib/program-files.ts';
import { releaseBytes } from './release.ts';

export const slotBytes = 1024 * 1024;
const slotCount = 4;

/** Memory transferred to the thread and back. (Shared memory is slower, because Node copies it byte by byte.) */
export interface SlotToHash {
  memory: ArrayBuffer;
  lengthBytes: number;
  isFirst: boolean;
  isLast: boolean;
}

interface HashedSlot {
  memory: ArrayBuffer;
  sha256: string | null;
}

/** A SHA-256 that may be asynchronous: each chunk waits for the previous one. */
export interface PatientHash {
  /** Reads the bytes before it returns or, if there is a promise, before that resolves. */
  add(piece: Buffer): Promise<void> | undefined;
  finish(): Promise<string>;
  /** MUST be called at the end; may be called again. */
  drop(): void;
}

export interface HashOffload {
  /**
   * A hash for one upload. Calls `isAlone` once the upload is known to be large; if it returns false, or the thread is
   * busy, the hash is computed in this thread.
   */
  begin(isAlone: () => boolean): PatientHash;
  close(): Promise<void>;
}

export function hashInline(hash: Hash = createHash('sha256')): PatientHash {
  return {
    add: (piece) => void hash.update(piece),
    finish: async () => hash.digest('hex'),
    drop() {},
  };
}

/** `script` is a parameter for tests of a thread that dies. */
export function openHashOffload(script: URL = threadScript('blobs/hash-thread.mjs')): HashOffload {
  const thread = createThread(script);
  let isTaken = false;
  return {
    begin(isAlone) {
      if (isTaken || thread.isUnusable() || !isAlone()) return hashInline();
      isTaken = true;
      let isMine = true;
      return createPatientHash(thread, isAlone, () => {
        if (isMine) isTaken = false;
        isMine = false;
      });
    },
    close: thread.close,
  };
}

/** The thread and a fixed number of slots that are transferred to it and back. */
interface HashThread {
  /** Whether it failed, or still has slots of an abandoned upload. */
  isUnusable(): boolean;
  /** False when no thread can be started, for example because of a limit of the process. */
  start(): boolean;
  /** A free buffer, or null while all are in use. */
  takeSlot(): Buffer | null;
  returnSlot(slot: Buffer): void;
  /** Frees the memory of empty slots except one, which is enough for most uploads. */
  releaseSlots(): void;
  /** Transfers a slot. Resolves when it has come back; with the hash, if it was the last one. */
  hash(slot: Buffer, work: Omit<SlotToHash, 'memory'>): Promise<string | null>;
  /** Resolves when the oldest transferred slot has come back. Rejects when the thread dies. */
  slotCameBack(): Promise<unknown>;
  close(): Promise<void>;
}

function createThread(script: URL): HashThread {
  const free: Buffer[] = [];
  const away: PromiseWithResolvers<string | null>[] = [];
  let worker: Worker | null = null;
  let failure: Error | null = null;
  let isClosing = false;

  /** Not while the thread is ending, because closing waits for that. */
  const rest = () => (isClosing ? undefined : worker?.unref());

  function fail(error: Error): void {
    failure ??= error;
    for (const { reject } of away.splice(0)) reject(failure);
    rest();
  }

  function create(): Worker {
    const started = new Worker(script, { env: {}, execArgv: [] });
    started.on('message', ({ memory, sha256 }: HashedSlot) => {
      free.push(Buffer.from(memory));
      away.shift()?.resolve(sha256);
      if (away.length === 0) rest();
    });
    started.on('error', (error) => fail(new Error('the hashing thread failed', { cause: error })));
    started.on('exit', () => fail(new Error('the hashing thread ended')));
    return started;
  }

  return {
    isUnusable: () => failure !== null || away.length > 0,
    start() {
      try {
        worker ??= create();
      } catch (error) {
        failure = new Error('there can be no hashing thread', { cause: error });
      }
      return failure === null;
    },
    takeSlot: () => free.pop() ?? (away.length < slotCount ? Buffer.allocUnsafeSlow(slotBytes) : null),
    returnSlot: (slot) => void free.push(slot),
    releaseSlots: () => free.splice(1).forEach(releaseBytes),
    hash(slot, work) {
      if (failure || !worker) return Promise.reject(failure ?? new Error('the hashing thread was not started'));
      worker.ref();
      const answer = Promise.withResolvers<string | null>();
      answer.promise.catch(() => {});
      away.push(answer);
      const memory = slot.buffer as ArrayBuffer;
      worker.postMessage({ ...work, memory } satisfies SlotToHash, [memory]);
      return answer.promise;
    },
    slotCameBack: () => away[0]?.promise ?? Promise.reject(failure),
    async close() {
      isClosing = true;
      await worker?.terminate();
    },
  };
}

function createPatientHash(thread: HashThread, isAlone: () => boolean, giveBack: () => void): PatientHash {
  let slot = thread.takeSlot();
  let usedBytes = 0;
  let isFirst = true;
  let inline: Hash | null = null;

  function hand(full: Buffer, isLast: boolean): Promise<string | null> {
    const hashing = thread.hash(full, { lengthBytes: usedBytes, isFirst, isLast });
    slot = null;
    usedBytes = 0;
    isFirst = false;
    return hashing;
  }

  function leave(): void {
    if (slot) thread.returnSlot(slot);
    slot = null;
    thread.releaseSlots();
    giveBack();
  }

  /** Continues after a full slot; the promise, if any, resolves when there is another. */
  function continueInNextSlot(full: Buffer): Promise<void> | undefined {
    if (isFirst && !(isAlone() && thread.start())) {
      inline = createHash('sha256').update(full);
      return void leave();
    }
    hand(full, false);
    slot = thread.takeSlot();
    if (slot) return undefined;
    return thread.slotCameBack().then(() => {
      slot = thread.takeSlot();
    });
  }

  function add(piece: Buffer): Promise<void> | undefined {
    for (let rest = piece; rest.length > 0; ) {
      if (inline) return void inline.update(rest);
      if (!slot) return Promise.reject(new Error('the hash was left'));
      const taken = rest.copy(slot, usedBytes);
      usedBytes += taken;
      rest = rest.subarray(taken);
      const waiting = usedBytes === slotBytes ? continueInNextSlot(slot) : undefined;
      const left = rest;
      if (waiting) return waiting.then(() => add(left));
    }
    return undefined;
  }

  return {
    add,
    async finish() {
      if (inline) return inline.digest('hex');
      if (!slot) throw new Error('the hash was left');
      if (isFirst) return createHash('sha256').update(slot.subarray(0, usedBytes)).digest('hex');
      return (await hand(slot, true)) ?? '';
    },
    drop: leave,
  };
}
