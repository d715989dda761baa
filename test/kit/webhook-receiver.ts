// An HTTP server that receives webhooks in tests, with faults on request.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { record } from '#server/actions/events.ts';
import { systemCaller } from '#server/domain/caller.ts';
import type { TestApp } from './app.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookReceiver {
  url: string;
  received: Received[];
  /** Kinds and objects of accepted deliveries, in order. */
  accepted: Received[];
  /** How it answers; 204 by default. */
  answer: (received: Received, response: ServerResponse) => void;
  close(): Promise<void>;
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const got = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      receiver.received.push(got);
      response.on('finish', () => {
        if (response.statusCode < 300) receiver.accepted.push(got);
      });
      receiver.answer(got, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received: [],
    accepted: [],
    answer: (_received, response) => void response.writeHead(204).end(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Records an event for each of these jobs. */
export function recordJobRuns({ app: { ctx } }: TestApp, jobs: readonly string[]): Promise<void> {
  return ctx.db.write(async (tx) => {
    for (const id of jobs)
      await record(ctx, tx, systemCaller, {
        action: 'job.run',
        object: { kind: 'job', id },
        ownerId: '',
        facts: { confirmed: false },
      });
  });
}

export function objectsOf(deliveries: readonly Pick<Received, 'body'>[]): string[] {
  return deliveries.map(({ body }) => (JSON.parse(body) as { data: { object_id: string } }).data.object_id);
}
