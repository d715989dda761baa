// The bytes of a JSON body as its parser asks for them: bounded, checked to be UTF-8, in pieces that leave the event
// loop to others. Notices at any time that the source has failed. Never destroys the source.
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createUtf8Check } from '../utf8-check.ts';

/** The body, or what of it must be kept, is larger than permitted. */
export class JsonTooLarge extends RangeError {
  override name = 'JsonTooLarge';
}

/** For one user at a time: only one of its promises may be waited for. */
export interface JsonInput {
  /** What has come and was not advanced over: at least one byte; null at the end. */
  current(): Promise<Buffer | null>;
  advance(bytes: number): void;
  /** Resolves once it is so; asks again after each `wake`. Rejects when the input has failed. */
  until(isSo: () => boolean): Promise<void>;
  wake(): void;
  /** From now on everything that waits for the input rejects with this error, or with an earlier one. */
  fail(error: unknown): void;
  /** Lets go of the source and leaves it paused where it is. */
  release(): void;
}

/** So much is parsed before others have a turn. A socket that is read as fast as it fills brings megabytes at a time. */
const maxTurnBytes = 128 * 1024;

export function createJsonInput(source: Readable, maxBytes: number): JsonInput {
  const waiter = createWaiter();
  const chunks = createChunks(source, waiter);
  const utf8 = createUtf8Check();
  /** The chunk from the first byte not advanced over; `piece` is its beginning. */
  let rest: Buffer = Buffer.alloc(0);
  let piece: Buffer = rest;
  let receivedBytes = 0;
  let turnBytes = 0;

  async function receive(): Promise<boolean> {
    const chunk = await chunks.next();
    if (chunk === null && !utf8.isComplete()) throw notUtf8();
    if (chunk === null) return false;
    receivedBytes += chunk.length;
    if (receivedBytes > maxBytes) throw new JsonTooLarge(`The body may have at most ${maxBytes} bytes.`);
    if (!utf8.accepts(chunk)) throw notUtf8();
    rest = chunk;
    return true;
  }

  return {
    async current() {
      if (piece.length > 0) return piece;
      if (turnBytes >= maxTurnBytes) {
        turnBytes = 0;
        await setImmediate();
        waiter.check();
      }
      // Some streams bring chunks of no bytes.
      while (rest.length === 0) if (!(await receive())) return null;
      piece = rest.subarray(0, maxTurnBytes - turnBytes);
      turnBytes += piece.length;
      return piece;
    },
    advance(bytes) {
      piece = piece.subarray(bytes);
      rest = rest.subarray(bytes);
    },
    until: waiter.until,
    wake: waiter.wake,
    fail: waiter.fail,
    release: chunks.release,
  };
}

function notUtf8(): RangeError {
  return new RangeError('The body is not valid UTF-8.');
}

interface Waiter {
  check(): void;
  until(isSo: () => boolean): Promise<void>;
  wake(): void;
  fail(error: unknown): void;
}

/** One promise at a time instead of races: a race leaves something behind on the promise that loses. */
function createWaiter(): Waiter {
  let failure: { error: unknown } | null = null;
  let resume: (() => void) | null = null;

  function check(): void {
    if (failure !== null) throw failure.error;
  }
  function wake(): void {
    resume?.();
    resume = null;
  }
  return {
    check,
    async until(isSo) {
      for (check(); !isSo(); check()) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
    },
    wake,
    fail(error) {
      failure ??= { error };
      wake();
    },
  };
}

interface Chunks {
  /** Null at the end. */
  next(): Promise<Buffer | null>;
  release(): void;
}

/** By 'readable' and `read()`, so that the source waits by itself while nobody asks. */
function createChunks(source: Readable, waiter: Waiter): Chunks {
  let hasEnded = false;
  const onEnd = () => {
    hasEnded = true;
    waiter.wake();
  };
  const onClose = () => {
    if (!hasEnded) waiter.fail(source.errored ?? closedEarly());
  };
  const ignore = () => {};

  if (source.errored || source.destroyed || source.readableEnded) waiter.fail(source.errored ?? closedEarly());
  // Listened to by `ignore` for good: an error after a refusal must have somebody to go to.
  source.on('readable', waiter.wake).on('end', onEnd).on('error', waiter.fail).on('error', ignore).on('close', onClose);

  return {
    async next() {
      let chunk: Buffer | string | null = null;
      await waiter.until(() => {
        chunk = source.read();
        return chunk !== null || hasEnded;
      });
      if (chunk === null) return null;
      return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    },
    release() {
      source.off('readable', waiter.wake).off('end', onEnd).off('error', waiter.fail).off('close', onClose);
    },
  };
}

function closedEarly(): Error {
  return Object.assign(new Error('The stream closed before its end was read.'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
}
