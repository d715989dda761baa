// A file that will have arrived within seconds, in one request, as any program would send it. The server then has no pieces
// to keep and no second checksum to compute. Nothing of it could be resumed, so it is only for files that are as quickly
// sent again; everything else, and everything that goes wrong, goes the way of pieces.
import type { Answer, ExchangePorts } from './exchange.ts';
import type { StreamBody, WireRequest, WireResponse } from './ports.ts';
import { readPieceAnswer, verdictOf } from './wire.ts';

export interface WholePorts extends Pick<ExchangePorts, 'clock'> {
  /** Where the platform can send a body that is not in memory. */
  stream?: ((request: Omit<WireRequest, 'body'> & { body: StreamBody }) => Promise<WireResponse>) | undefined;
  /** The line is worth it. */
  mayGoWhole?: boolean | undefined;
}

/** So much time may be lost when it is interrupted. */
const mostMs = 10_000;
const checkEveryMs = 500;

export interface WholeAttempt {
  /** Null: it did not arrive, or would have taken too long. */
  answer: Answer | null;
  /** When it was last looked at; 0 before. */
  bytesPerSecond: number;
}

export async function sendWhole(
  { stream, clock }: WholePorts,
  request: Omit<WireRequest, 'body'> & { body: StreamBody },
): Promise<WholeAttempt> {
  if (stream === undefined) return { answer: null, bytesPerSecond: 0 };
  const own = new AbortController();
  const stop = () => own.abort();
  request.signal.addEventListener('abort', stop, { once: true });
  let [sentBytes, bytesPerSecond] = [0, 0];
  void giveUpWhenSlow(clock, own, (elapsedMs) => {
    bytesPerSecond = (sentBytes * 1000) / elapsedMs;
    return sentBytes / request.body.sizeBytes;
  });
  try {
    const response = await stream({
      ...request,
      signal: own.signal,
      onProgress(bytes) {
        sentBytes = bytes;
        if (!own.signal.aborted) request.onProgress(bytes);
      },
    });
    const verdict = verdictOf(response);
    const isForeign = verdict.is === 'taken' && !readPieceAnswer(response)?.attachment;
    return { answer: verdict.is === 'later' || isForeign ? null : { response, verdict }, bytesPerSecond };
  } catch {
    return { answer: null, bytesPerSecond };
  } finally {
    request.signal.removeEventListener('abort', stop);
    own.abort();
  }
}

/** Looks at the share that is sent; an answer that takes its time is not slowness of the line. */
async function giveUpWhenSlow(
  clock: ExchangePorts['clock'],
  own: AbortController,
  sentShare: (elapsedMs: number) => number,
): Promise<void> {
  try {
    for (let elapsedMs = checkEveryMs; ; elapsedMs += checkEveryMs) {
      await clock.wait(checkEveryMs, own.signal);
      const share = sentShare(elapsedMs);
      if (share < 1 && elapsedMs / share > mostMs) own.abort();
    }
  } catch {
    // Answered or interrupted before.
  }
}
