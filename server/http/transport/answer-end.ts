// Code that begins something for a request after an `await` must check here that the client has not left.
import type { ServerResponse } from 'node:http';
import { BodyAborted } from '../../domain/ports.ts';

/** Call it when the request arrives. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const client = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) client.abort(new BodyAborted());
  });
  return client.signal;
}

/** Immediately if the answer has ended. */
export function atEnd(response: ServerResponse, release: () => void): void {
  if (response.closed) release();
  else response.once('close', release);
}
