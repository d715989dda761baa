import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect } from './waybill.ts';

async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => listener(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Records the credentials per URL and returns an empty file. */
function recordingFetch() {
  const keys = new Map<string, string | null>();
  const send: typeof fetch = async (input, init) => {
    keys.set(String(input), new Headers(init?.headers).get('authorization'));
    return new Response('');
  };
  return { keys, send };
}

const foreign = [
  'http://files.example/dl/1',
  'https://files.example:8443/dl/1',
  'https://files.example.attacker.example/dl/1',
  'https://files.example@attacker.example/dl/1',
  'https://attacker.example#files.example/dl/1',
  '//attacker.example/dl/1',
  '\\\\attacker.example\\dl\\1',
];
for (const url of foreign)
  test(`a download from ${url} gets no key`, async () => {
    const { keys, send } = recordingFetch();
    const waybill = connect({ server: 'https://files.example', apiKey: 'key', fetch: send });
    await new Response(waybill.download(url)).arrayBuffer();
    assert.deepEqual([...keys.values()], [null]);
  });

for (const url of [
  '/dl/1',
  'dl/1',
  'https://files.example/dl/1',
  'https://files.example:443/dl/1',
  'HTTPS://FILES.example/1',
])
  test(`a download from ${url} gets the key, because it is on the server itself`, async () => {
    const { keys, send } = recordingFetch();
    const waybill = connect({ server: 'https://files.example/', apiKey: 'key', fetch: send });
    await new Response(waybill.download(url)).arrayBuffer();
    assert.deepEqual([...keys.values()], ['Bearer key']);
  });

for (const status of [301, 302, 303, 307, 308])
  test(`a redirect with ${status} sends neither the key nor the content to another port`, async (t) => {
    let requests = 0;
    const other = await listen(t, (_, response) => {
      requests += 1;
      response.end('{}');
    });
    const server = await listen(t, (_, response) => {
      response.writeHead(status, { location: `${other}/elsewhere` }).end();
    });
    const waybill = connect({ server, apiKey: 'key' });
    await assert.rejects(waybill.calls.getAccount());
    await assert.rejects(waybill.calls.claimPairing({ body: { pairing: { token: 'secret' } } }));
    await assert.rejects(waybill.upload(new Blob(['content']), { name: 'a.txt' }));
    await assert.rejects(new Response(waybill.download('/dl/1')).arrayBuffer(), new RegExp(`status ${status}`));
    assert.equal(requests, 0);
  });
