// A client that disconnects while the server waits for one statement of its request, as on PostgreSQL.
import { setImmediate } from 'node:timers/promises';
import type { TestApp } from './app.ts';
import { eventually, until } from './eventually.ts';
import type { Leftovers } from './leftovers.ts';
import { whileObserved } from './queries.ts';
import { dial } from './raw-http.ts';

export interface Sent {
  bytes: string | Uint8Array;
  /** The outcome without a cut: an answer, an endless upload, or an endless answer. */
  leadsTo: 'answer' | 'endless file' | 'endless answer';
}

/**
 * Sends these bytes and disconnects before the statement with this number runs. Returns it, or null if it is never
 * reached.
 */
export async function cutAtStatement(
  { app, leftovers }: { app: TestApp; leftovers: Leftovers },
  number: number,
  { bytes, leadsTo }: Sent,
): Promise<string | null> {
  const reached = Promise.withResolvers<string | null>();
  const hasLeft = Promise.withResolvers<void>();
  let asked = 0;
  const ask = async (statement: string) => {
    asked += 1;
    if (asked !== number) return;
    reached.resolve(statement);
    await hasLeft.promise;
  };
  leftovers.requests.length = 0;
  return whileObserved(app, { ask, begin: () => ({ ask, end() {} }) }, async () => {
    const line = await dial(app.url);
    await line.write(bytes);
    line.reply().then(
      () => reached.resolve(null),
      () => reached.resolve(null),
    );
    let statement: string | null | undefined;
    reached.promise.then((found) => {
      statement = found;
    });
    const isOver = {
      answer: () => false,
      'endless file': () => isReceiving(app),
      'endless answer': () => leftovers.requests[0]?.response.headersSent === true,
    }[leadsTo];
    await until(async () => statement !== undefined || isOver());
    line.cut();
    const { socket } = leftovers.requests[0]!.request;
    await until(async () => socket.closed);
    await setImmediate();
    hasLeft.resolve();
    await eventually('no leftovers remain', async () => leftovers.list().length === 0, 10_000).catch(() => {});
    return statement ?? null;
  });
}

/** An upload that has sent some bytes and stays incomplete. */
function isReceiving({ app }: TestApp): boolean {
  return app.metrics().some(({ name, samples }) => name === 'waybill_uploads_active' && samples[0]![1] > 0);
}
