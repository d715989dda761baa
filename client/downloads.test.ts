import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect } from './waybill.ts';

const content = 'In chunks over a connection that breaks, and complete in the end.';

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

test('the key is sent to its own server and to no other', async (t) => {
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

test('a refusal ends the download immediately, and a changed file is reported', async (t) => {
  let requests = 0;
  const server = await listen(t, (request, response) => {
    requests += 1;
    response.writeHead(request.url === '/gone' ? 404 : 200).end(content);
  });
  const waybill = connect({ server, apiKey: 'key' });
  await assert.rejects(textOf(waybill.download('/gone')), /status 404/);
  await assert.rejects(textOf(waybill.download('/changed', { from: 5 })), /has changed/);
  assert.equal(requests, 2);
});

test('continues when a server behind a proxy restarts', async (t) => {
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

test('a cut response without a length is not mistaken for the rest of the file', async (t) => {
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

test('a file that is complete already ends without further bytes', async (t) => {
  const server = await listen(t, (_, response) => {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  });
  const waybill = connect({ server, apiKey: 'key' });
  assert.equal(await textOf(waybill.download('/dl/1/a.txt', { from: content.length })), '');
  await assert.rejects(textOf(waybill.download('/dl/1/a.txt', { from: content.length + 1 })), /status 416/);
});

test('ends immediately when it is aborted while waiting for the server', async (t) => {
  // The wait must not end on its own.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stopping = new AbortController();
  const server = await listen(t, (_, response) => {
    response.writeHead(503).end(() => setImmediate(() => stopping.abort(new Error('enough'))));
  });
  const waybill = connect({ server, apiKey: 'key' });
  await assert.rejects(textOf(waybill.download('/dl/1/a.txt', { signal: stopping.signal })), /enough/);
});
