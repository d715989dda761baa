// What requests leave in the service's process: timers, listeners, running handlers, and counts of simultaneous work.
import { createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestApp } from './app.ts';
import { assertInside } from './outside.ts';

export interface Leftovers {
  /** A description of each; empty when there are none. */
  list(): string[];
  requests: { request: IncomingMessage; response: ServerResponse }[];
  stop(): void;
}

/** Metrics that are 0 when no request is running. */
const gauges = /^waybill_(http_requests_active|in_flight|uploads_active|downloads_active)$/;

/** Call it while the service is idle. */
export function watchLeftovers(app: TestApp): Leftovers {
  assertInside();
  const timers = new Map<number, string>();
  const hook = createHook({
    init(id, type) {
      if (type !== 'Timeout') return;
      const place = placeOf(new Error('a timer').stack!);
      if (place !== null) timers.set(id, place);
    },
    destroy: (id) => void timers.delete(id),
  }).enable();
  const requests: Leftovers['requests'] = [];
  const onRequest = (message: unknown) => void requests.push(message as (typeof requests)[number]);
  subscribe('http.server.request.start', onRequest);
  return {
    requests,
    list: () => [
      ...busyGauges(app),
      ...lostListeners(requests),
      ...[...timers.values()].map((place) => `timer ${place}`),
    ],
    stop() {
      hook.disable();
      unsubscribe('http.server.request.start', onRequest);
    },
  };
}

/** The source line that creates a timer for a request; null for those of jobs and other programs. */
function placeOf(stack: string): string | null {
  const own = stack.split('\n').find((line) => line.includes('file://') && !line.includes('/test/kit/leftovers.ts'));
  return own?.match(/\/(server\/(?:http|blobs|lib)\/\S+\.ts:\d+)/)?.[1] ?? null;
}

function busyGauges(app: TestApp): string[] {
  return app.app
    .metrics()
    .filter(({ name }) => gauges.test(name))
    .flatMap(({ name, samples }) => samples.filter(([, value]) => value !== 0).map(([labels]) => `${name}${labels}`));
}

/** Waiting for the end of a finished stream never resolves. */
function lostListeners(requests: Leftovers['requests']): string[] {
  return requests.flatMap(({ request, response }) => {
    const ended = [...(request.closed ? [request] : []), ...(response.closed ? [response] : [])];
    return ended.flatMap((emitter) =>
      emitter.listeners('close').map((listener) => `listener ${listener.name || listener}`),
    );
  });
}
