// One request until it has a real answer: retries through lost connections, busy servers and silence, with growing
// waits and no end while nobody interrupts. Only answers that mean something come back.
import { askedWaitMs, backoffMs } from './backoff.ts';
import type { Clock, Random, Send, WireRequest, WireResponse } from './ports.ts';
import { type Verdict, verdictOf } from './wire.ts';

export interface ExchangePorts {
  send: Send;
  clock: Clock;
  random: Random;
}

export interface Exchange {
  request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>;
  /** Aborted by a pause, by going offline, by removing the file. */
  signal: AbortSignal;
  onProgress(sentBytes: number): void;
  /** True while waiting to try again for longer than a moment. */
  onRetrying(isRetrying: boolean): void;
  /** False for an answer that cannot be from our server; it is treated as none. */
  isOurs(response: WireResponse): boolean;
}

export interface Answer {
  response: WireResponse;
  verdict: Exclude<Verdict, { is: 'later' }>;
}

/** Thrown when the signal ends a journey; it can be resumed. */
export class Interrupted extends Error {}

/** A request that makes no progress and gets no response for this long is given up and sent again. */
const silenceMs = 90_000;
/** From this failure on the screens are told; one hiccup is nobody's business. */
const tellingFailures = 2;

export async function exchange(ports: ExchangePorts, wanted: Exchange): Promise<Answer> {
  for (let failures = 0; ; ) {
    if (wanted.signal.aborted) throw new Interrupted();
    const response = await attempt(ports, wanted);
    if (wanted.signal.aborted) throw new Interrupted();
    const verdict = response === null ? null : verdictOf(response);
    const isForeign = response !== null && verdict?.is === 'taken' && !wanted.isOurs(response);
    if (response !== null && verdict !== null && verdict.is !== 'later' && !isForeign) {
      if (failures >= tellingFailures) wanted.onRetrying(false);
      return { response, verdict };
    }
    failures += 1;
    if (failures >= tellingFailures) wanted.onRetrying(true);
    const asked = verdict?.is === 'later' ? (askedWaitMs(verdict.retryAfter) ?? 0) : 0;
    await ports.clock.wait(Math.max(asked, backoffMs(failures, ports.random)), wanted.signal).catch(() => {
      throw new Interrupted();
    });
  }
}

/** Null when there was no answer. */
async function attempt({ send, clock }: ExchangePorts, wanted: Exchange): Promise<WireResponse | null> {
  const own = new AbortController();
  const stop = () => own.abort();
  wanted.signal.addEventListener('abort', stop, { once: true });
  let hasMoved = false;
  void watchForSilence(clock, own, () => {
    const moved = hasMoved;
    hasMoved = false;
    return moved;
  });
  try {
    return await send({
      ...wanted.request,
      signal: own.signal,
      onProgress(sentBytes) {
        if (own.signal.aborted) return;
        hasMoved = true;
        wanted.onProgress(sentBytes);
      },
    });
  } catch {
    return null;
  } finally {
    wanted.signal.removeEventListener('abort', stop);
    own.abort();
  }
}

/** Counts periods, not the difference of two clock readings: a clock that jumps ends nothing. */
async function watchForSilence(clock: Clock, own: AbortController, hasMoved: () => boolean): Promise<void> {
  try {
    do await clock.wait(silenceMs, own.signal);
    while (hasMoved());
    own.abort();
  } catch {
    // Answered or interrupted before.
  }
}
