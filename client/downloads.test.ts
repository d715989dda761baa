// Downloads of the client library over lines that break and servers that go away.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect } from './waybill.ts';

const content = 'In pieces over a line that breaks, and whole in the end.';

async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
const startOf = (range: string | undefined) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);

test('the key goes to the server it belongs to, and to no other', async (t) => {
  const seen: (string | undefined)[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(request.headers.authorization);
    response.end(content);
  };
  const [server, other] = [await listen(t, listener), await listen(t, listener)];
  const waybill = connect({ server, apiKey: 'key' });
  for (const url of ['/dl/1/a.txt', `${server}/dl/1/a.txt`, `${other}/dl/1/a.txt`])
    assert.equal(await textOf(waybill.download(url)), content);
  assert.deepEqual(seen, ['Bearer key', 'Bearer key', undefined]);
});

test('a refusal ends it at once, and a file that has changed is said', async (t) => {
  let requests = 0;
  const server = await listen(t, (request, response) => {
    requests += 1;
    response.writeHead(request.url === '/gone' ? 404 : 200).end(content);
  });
  const waybill = connect({ server, apiKey: 'key' });
  await assert.rejects(textOf(waybill.download('/gone')), /status 404/);
  await assert.rejects(textOf(waybill.download('/changed', { from: 5 })), /not the same any more/);
  assert.equal(requests, 2);
});

test('goes on through a server that is restarted behind a proxy', async (t) => {
  const answers = [200, 502, 206];
  const server = await listen(t, (request, response) => {
    const status = answers.shift()!;
    const start = startOf(request.headers.range);
    response.writeHead(status, { 'content-length': status < 300 ? content.length - start : 0, etag: '"1"' });
    if (status === 200) response.write(content.slice(0, 20), () => setImmediate(() => response.destroy()));
    else response.end(status === 206 ? content.slice(start) : '');
  });
  assert.equal(await textOf(connect({ server, apiKey: 'key' }).download('/dl/1/a.txt')), content);
  assert.deepEqual(answers, []);
});

test('a part without a length that is cut is not taken for the rest of the file', async (t) => {
  let requests = 0;
  const server = await listen(t, (request, response) => {
    requests += 1;
    const start = startOf(request.headers.range);
    response.writeHead(206, { etag: '"1"' });
    if (requests > 1) response.end(content.slice(start));
    else response.write(content.slice(start, start + 10), () => setImmediate(() => response.destroy()));
  });
  const rest = await textOf(connect({ server, apiKey: 'key' }).download('/dl/1/a.txt', { from: 5 }));
  assert.equal(rest, content.slice(5));
});

test('nothing is left of a file that is here already', async (t) => {
  const server = await listen(t, (_, response) => {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  });
  const waybill = connect({ server, apiKey: 'key' });
  assert.equal(await textOf(waybill.download('/dl/1/a.txt', { from: content.length })), '');
  await assert.rejects(textOf(waybill.download('/dl/1/a.txt', { from: content.length + 1 })), /status 416/);
});

test('ends at once when it is stopped while it waits for the server', async (t) => {
  // So that waiting never ends by itself.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stopping = new AbortController();
  const server = await listen(t, (_, response) => {
    response.writeHead(503).end(() => setImmediate(() => stopping.abort(new Error('enough'))));
  });
  const waybill = connect({ server, apiKey: 'key' });
  await assert.rejects(textOf(waybill.download('/dl/1/a.txt', { signal: stopping.signal })), /enough/);
});
