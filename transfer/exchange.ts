// Retries a request without limit until its final response or an abort.
import { backoffMs, retryAfterMs } from './backoff.ts';
import type { Clock, Random, Send, WireRequest, WireResponse } from './ports.ts';
import { type Verdict, verdictOf } from './wire.ts';

export interface ExchangePorts {
  send: Send;
  clock: Clock;
  random: Random;
}

export interface Exchange {
  request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>;
  signal: AbortSignal;
  /** The request is not repeated. */
  isPausing(): boolean;
  onProgress(sentBytes: number): void;
  onRetrying(isRetrying: boolean): void;
  /** False for the response of a captive portal. */
  isOurs(response: WireResponse): boolean;
}

export interface Answer {
  response: WireResponse;
  verdict: Exclude<Verdict, { is: 'retry' }>;
}

/** The upload can be resumed. */
export class Interrupted extends Error {}

/** A request without progress for this long is retried. */
const stallMs = 90_000;
const reportedFailures = 2;

export async function exchange(ports: ExchangePorts, input: Exchange): Promise<Answer> {
  for (let failures = 0; ; ) {
    if (input.signal.aborted || input.isPausing()) throw new Interrupted();
    const response = await attempt(ports, input);
    if (input.signal.aborted) throw new Interrupted();
    const verdict = response === null ? null : verdictOf(response);
    const isForeign = response !== null && verdict?.is === 'accepted' && !input.isOurs(response);
    if (response !== null && verdict !== null && verdict.is !== 'retry' && !isForeign) {
      if (failures >= reportedFailures) input.onRetrying(false);
      return { response, verdict };
    }
    if (input.isPausing()) throw new Interrupted();
    failures += 1;
    if (failures >= reportedFailures) input.onRetrying(true);
    const requestedMs = verdict?.is === 'retry' ? (retryAfterMs(verdict.retryAfter) ?? 0) : 0;
    await ports.clock.wait(Math.max(requestedMs, backoffMs(failures, ports.random)), input.signal).catch(() => {
      throw new Interrupted();
    });
  }
}

async function attempt({ send, clock }: ExchangePorts, input: Exchange): Promise<WireResponse | null> {
  const own = new AbortController();
  const stop = () => own.abort();
  input.signal.addEventListener('abort', stop, { once: true });
  let hasMoved = false;
  void abortOnStall(clock, own, () => {
    const moved = hasMoved;
    hasMoved = false;
    return moved;
  });
  try {
    return await send({
      ...input.request,
      signal: own.signal,
      onProgress(sentBytes) {
        if (own.signal.aborted) return;
        hasMoved = true;
        input.onProgress(sentBytes);
      },
    });
  } catch {
    return null;
  } finally {
    input.signal.removeEventListener('abort', stop);
    own.abort();
  }
}

/** Counts periods, because clocks jump. */
async function abortOnStall(clock: Clock, own: AbortController, hasMoved: () => boolean): Promise<void> {
  try {
    do await clock.wait(stallMs, own.signal);
    while (hasMoved());
    own.abort();
  } catch {
    // The request ended first.
  }
}
