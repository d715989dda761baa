// The end of an answer: its last byte, or the client's leaving. Code that begins something for a request after an
// `await` must check here.
import type { ServerResponse } from 'node:http';
import { BodyAborted } from '../../domain/ports.ts';

/** Aborted when the client leaves before its answer has ended. Call it when the request arrives. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const client = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) client.abort(new BodyAborted());
  });
  return client.signal;
}

/** Runs `release` when the answer has ended, or immediately if it has already. */
export function atEnd(response: ServerResponse, release: () => void): void {
  if (response.closed) release();
  else response.once('close', release);
}
