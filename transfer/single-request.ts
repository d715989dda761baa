// A single request cannot be resumed, so it is only for files that take seconds. After a failure the file is sent in
// chunks.
import type { Answer, ExchangePorts } from './exchange.ts';
import type { StreamBody, WireRequest, WireResponse } from './ports.ts';
import { readChunkAnswer, verdictOf } from './wire.ts';

export interface SingleRequestPorts extends Pick<ExchangePorts, 'clock'> {
  stream?: ((request: Omit<WireRequest, 'body'> & { body: StreamBody }) => Promise<WireResponse>) | undefined;
  allowSingleRequest?: boolean | undefined;
}

/** Limits what an interruption can lose. */
const maxMs = 10_000;
const checkEveryMs = 500;

export interface SingleRequestAttempt {
  /** Null after a failure. */
  answer: Answer | null;
  /** 0 before the first measurement. */
  bytesPerSecond: number;
}

export async function sendSingleRequest(
  { stream, clock }: SingleRequestPorts,
  request: Omit<WireRequest, 'body'> & { body: StreamBody },
): Promise<SingleRequestAttempt> {
  if (stream === undefined) return { answer: null, bytesPerSecond: 0 };
  const own = new AbortController();
  const stop = () => own.abort();
  request.signal.addEventListener('abort', stop, { once: true });
  let [sentBytes, bytesPerSecond] = [0, 0];
  void abortWhenSlow(clock, own, (elapsedMs) => {
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
    const isForeign = verdict.is === 'accepted' && !readChunkAnswer(response)?.attachment;
    return { answer: verdict.is === 'retry' || isForeign ? null : { response, verdict }, bytesPerSecond };
  } catch {
    return { answer: null, bytesPerSecond };
  } finally {
    request.signal.removeEventListener('abort', stop);
    own.abort();
  }
}

/** A slow response does not mean a slow connection. */
async function abortWhenSlow(
  clock: ExchangePorts['clock'],
  own: AbortController,
  sentShare: (elapsedMs: number) => number,
): Promise<void> {
  try {
    for (let elapsedMs = checkEveryMs; ; elapsedMs += checkEveryMs) {
      await clock.wait(checkEveryMs, own.signal);
      const share = sentShare(elapsedMs);
      if (share < 1 && elapsedMs / share > maxMs) own.abort();
    }
  } catch {
    // The request ended first.
  }
}
