import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type Load, startLoad } from './load-client.ts';

describe('the load generator', () => {
  let load: Load;
  before(() => {
    load = startLoad();
  });
  after(() => load.stop());

  async function withServer<T>(listener: RequestListener, work: (port: number) => Promise<T>): Promise<T> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await work((server.address() as AddressInfo).port);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test('an answer that breaks off is an error, with a length and without one', async () => {
    const breakOff: RequestListener = (request, response) => {
      if (request.url === '/length') response.setHeader('content-length', 1000);
      response.write('only the beginning');
      setImmediate(() => response.socket?.end());
    };
    await withServer(breakOff, async (port) => {
      for (const path of ['/length', '/chunked'])
        await assert.rejects(load.once(port, [{ head: `GET ${path} HTTP/1.1` }]), /broke off/, path);
    });
  });

  test('a refusal is an error that shows the answer', async () => {
    await withServer(
      (_request, response) => response.writeHead(401).end('who are you'),
      (port) => assert.rejects(load.once(port, [{ head: 'GET / HTTP/1.1' }]), /401.*who are you/s),
    );
  });

  test('a body has exactly the promised bytes, and an answer is counted to its end', async () => {
    const bodyBytes = 3 * 1024 * 1024 + 17;
    const count: RequestListener = (request, response) => {
      let received = 0;
      request.on('data', (piece: Buffer) => {
        received += piece.length;
      });
      request.on('end', () => response.end(JSON.stringify({ received, filler: 'x'.repeat(100_000) })));
    };
    const { answers } = await withServer(count, (port) =>
      load.once(
        port,
        Array.from({ length: 3 }, () => ({ head: 'POST / HTTP/1.1', bodyBytes })),
      ),
    );
    assert.equal(answers.length, 3);
    for (const answer of answers) {
      assert.match(answer.text, new RegExp(`^{"received":${bodyBytes},`));
      assert.equal(answer.bodyBytes, Buffer.byteLength(`{"received":${bodyBytes},"filler":""}`) + 100_000);
    }
  });

  test('a repeated request keeps its connections and is numbered', async () => {
    const seen = new Set<string>();
    const sockets = new Set<unknown>();
    const note: RequestListener = (request, response) => {
      sockets.add(request.socket);
      request.on('data', (piece: Buffer) => seen.add(piece.toString()));
      request.on('end', () => response.end('ok'));
    };
    const { countByStatus, perSecond } = await withServer(note, (port) =>
      load.repeat(port, { head: 'POST / HTTP/1.1', body: 'try {n}' }, 4, 300),
    );
    assert.deepEqual(Object.keys(countByStatus), ['200']);
    assert.ok(perSecond > 0);
    assert.equal(sockets.size, 4);
    assert.ok(seen.has('try 1') && seen.has('try 5'));
  });
});
