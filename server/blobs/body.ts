// Reads a request body to its end with 'data', pause and resume, which takes a fifth less time than iterating. Never
// leaves a body paused, an error unreported, or an 'error' event without a listener.
import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { BodyAborted } from '#server/domain/ports.ts';
import { releaseBytes } from './release.ts';

/**
 * Takes one chunk, which may be freed afterwards. The body is paused until a returned promise resolves. A throw or a
 * rejection ends the reading.
 */
export type TakePiece = (piece: Buffer) => Promise<void> | undefined;

export interface BodyReading {
  /** Resolves when the body has ended and every chunk was taken. */
  done: Promise<void>;
  fail(error: unknown): void;
}

export function readBody(body: Readable, take: TakePiece): BodyReading {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isComplete = false;
  let isTaking = false;
  let hasEnded = false;
  const release = releaserFor(body);

  function settle(finish: () => void): void {
    if (isComplete) return;
    isComplete = true;
    listen(body, 'off', listeners);
    finish();
  }

  function fail(error: unknown): void {
    settle(() => {
      abandon(body);
      reject(error);
    });
  }

  function takePiece(piece: Buffer | Uint8Array): void {
    try {
      const taking = take(Buffer.isBuffer(piece) ? piece : Buffer.from(piece));
      if (taking) pauseUntil(taking, piece);
      else release(piece);
    } catch (error) {
      fail(error);
    }
  }

  function pauseUntil(taking: Promise<void>, piece: Buffer | Uint8Array): void {
    isTaking = true;
    body.pause();
    taking.then(() => {
      isTaking = false;
      release(piece);
      if (isComplete) return;
      if (hasEnded) settle(resolve);
      else body.resume();
    }, fail);
  }

  function end(): void {
    hasEnded = true;
    if (!isTaking) settle(resolve);
  }

  const listeners: Listeners = {
    data: takePiece,
    end,
    error: (error) => fail(asBodyError(error)),
    aborted: () => fail(new BodyAborted()),
    close: () => void (hasEnded || fail(endOf(body) ?? new BodyAborted())),
  };
  const ended = endOf(body);
  if (ended) fail(ended);
  else listen(body, 'on', listeners);
  return { done: promise, fail };
}

interface Listeners {
  data(piece: Buffer | Uint8Array): void;
  end(): void;
  error(error: Error): void;
  aborted(): void;
  close(): void;
}

function listen(body: Readable, how: 'on' | 'off', { data, end, error, aborted, close }: Listeners): void {
  body[how]('data', data)[how]('end', end)[how]('error', error)[how]('aborted', aborted)[how]('close', close);
}

/** Discards further bytes and ignores late errors. The owner of the connection decides how much to wait for. */
function abandon(body: Readable): void {
  body.on('error', () => {});
  body.resume();
}

function endOf(body: Readable): Error | null {
  if (body.errored) return asBodyError(body.errored);
  return body.destroyed || body.readableEnded ? new BodyAborted() : null;
}

/**
 * Buffers of a request have one owner and can be freed; those of other streams may be shared. In the next turn, because
 * the parser may still use a chunk while it delivers it.
 */
function releaserFor(body: Readable): (piece: Buffer | Uint8Array) => void {
  return body instanceof IncomingMessage ? (piece) => void setImmediate(releaseBytes, piece) : () => {};
}

export function asBodyError(error: Error): Error {
  return lostConnectionCodes.has((error as NodeJS.ErrnoException).code ?? '') ? new BodyAborted() : error;
}

const lostConnectionCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'HPE_INVALID_EOF_STATE',
]);
