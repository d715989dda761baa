// --limit-rate over real connections with a test clock: transferred bytes never exceed the budget of the elapsed time.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { until } from '#test/kit/eventually.ts';
import { type Connection, openConnection } from '../../cli/connection.ts';
import { createFakeClock, type FakeClock } from '../../transfer/fake-clock.fixture.ts';

const bytesPerSecond = 10_000;
/** Bytes of a tenth of a second may be in flight. */
const portionBytes = 1000;

describe('a limit of 10 kB per second', () => {
  let received = 0;
  let clock: FakeClock;
  let connection: Connection;
  const server = createServer((request, response) => {
    request.on('data', (bytes: Buffer) => (received += bytes.length));
    request.on('end', () => response.end(Buffer.alloc(request.method === 'GET' ? 5000 : 0)));
  });
  let url = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  beforeEach(() => {
    received = 0;
    clock = createFakeClock();
    connection = openConnection({
      caFile: null,
      isInsecure: false,
      env: {},
      userAgent: 'test',
      timeoutMs: 60_000,
      bytesPerSecond,
      clock,
    });
  });
  after(() => server.close());

  const send = (sizeBytes: number) =>
    connection.send({
      method: 'POST',
      url,
      headers: {},
      body: new Uint8Array(sizeBytes),
      signal: new AbortController().signal,
      onProgress() {},
    });

  /** Advances time when all transfers wait; checks the budget before each step. */
  async function runThrough(work: Promise<unknown>, transferred: () => number): Promise<number> {
    let isOver = false;
    void work.then(() => (isOver = true));
    let elapsedMs = 0;
    for (;;) {
      await until(async () => isOver || clock.pending() > 0);
      if (isOver) break;
      assert.ok(
        transferred() <= (elapsedMs * bytesPerSecond) / 1000 + portionBytes,
        `${transferred()} B at ${elapsedMs} ms`,
      );
      elapsedMs += 100;
      await clock.advance(100);
    }
    await work;
    connection.close();
    return elapsedMs;
  }

  test('holds for small uploads, in sequence', async () => {
    const upload = async () => {
      for (let count = 0; count < 20; count += 1) await send(500);
    };
    assert.ok((await runThrough(upload(), () => received)) >= 900);
    assert.equal(received, 10_000);
  });

  test('holds for small chunks over eight connections', async () => {
    const upload = async () => {
      for (let count = 0; count < 5; count += 1) await Promise.all(Array.from({ length: 8 }, () => send(250)));
    };
    assert.ok((await runThrough(upload(), () => received)) >= 900);
    assert.equal(received, 10_000);
  });

  test('holds within one large body', async () => {
    assert.ok((await runThrough(send(10_000), () => received)) >= 900);
    assert.equal(received, 10_000);
  });

  test('holds for small downloads, in sequence', async () => {
    let read = 0;
    const download = async () => {
      for (let count = 0; count < 4; count += 1) {
        const { body } = await connection.open({ method: 'GET', url, headers: {} });
        for await (const bytes of body) {
          await connection.pacer.afterReceiving((bytes as Buffer).length, new AbortController().signal);
          read += (bytes as Buffer).length;
        }
      }
    };
    assert.ok((await runThrough(download(), () => read)) >= 2000);
    assert.equal(read, 20_000);
  });
});
