// The API key is sent to the configured server only: answers and redirects of a hostile server name another one.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { useCommandLine } from '#test/kit/command-line.ts';

interface Listening {
  url: string;
  close(): void;
}

async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => listener(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const json = (response: ServerResponse, body: unknown) => void response.end(JSON.stringify(body));

describe('the API key', () => {
  const line = useCommandLine();
  const seen: IncomingMessage[] = [];
  let answer: RequestListener;
  let [server, other] = [{} as Listening, {} as Listening];
  before(async () => {
    writeFileSync(join(line.home, 'a.txt'), 'a');
    server = await listen((request, response) => answer(request, response));
    other = await listen((request, response) => {
      seen.push(request);
      response.writeHead(200, { 'content-length': '5', etag: '"1"' }).end(request.method === 'HEAD' ? '' : 'hello');
    });
  });
  beforeEach(() => void seen.splice(0));
  after(() => {
    server.close();
    other.close();
  });
  const waybill = (args: string[]) =>
    line.run(['--timeout', '200ms', ...args], { env: { WAYBILL_SERVER: server.url, WAYBILL_API_KEY: 'secret' } });
  const assertNoCredentials = () => {
    for (const { headers } of seen)
      assert.deepEqual(
        [headers.authorization, headers.cookie, JSON.stringify(headers).includes('secret')],
        [undefined, undefined, false],
      );
  };
  const messageWith =
    (url: string): RequestListener =>
    (_, response) =>
      json(response, {
        message: { attachments: [{ id: '1', available: true, url, checksum: '', filename: 'one.txt' }] },
      });

  test('is not sent to another server that a message names for its files', async () => {
    answer = messageWith(`${other.url}/dl/1/one.txt`);
    const ran = await waybill(['get', 'x', '-o', 'message']);
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.err, /another server/);
    assert.equal(readFileSync(join(line.home, 'message', 'one.txt'), 'utf8'), 'hello');
    assert.ok(seen.length > 0);
    assertNoCredentials();
    assert.equal((await waybill(['get', 'x', '-o', '-'])).out, 'hello');
    assert.equal((await waybill(['verify', 'a.txt', '--against', 'x'])).code, 1);
    assertNoCredentials();
  });

  for (const url of ['file:///etc/passwd', 'http://', 'https://[', 'ftp://files.example/1', 'javascript:alert(1)'])
    test(`an answer that names ${url} for a file ends the command with a sentence`, async () => {
      answer = messageWith(url);
      const ran = await waybill(['get', 'x', '-o', 'wrong']);
      assert.equal(ran.code, 9, ran.err);
      assert.match(ran.err, /address that cannot be used/);
      assert.ok(!existsSync(join(line.home, 'wrong')));
      answer = (_, response) => void response.writeHead(303, { location: url }).end();
      assert.equal((await waybill(['get', `${server.url}/link/x`])).code, 9);
    });

  test('nor is the cookie of a link sent to another server that the link leads to', async () => {
    answer = (_, response) =>
      void response.writeHead(303, { location: `${other.url}/dl/1/a`, 'set-cookie': 'grant=secret; Path=/' }).end();
    const ran = await waybill(['get', `${server.url}/link/x`, '-o', 'link']);
    assert.equal(ran.code, 0, ran.err);
    assert.ok(seen.length > 0);
    assertNoCredentials();
  });

  for (const status of [301, 302, 303, 307, 308])
    test(`no redirect with ${status} is followed`, async () => {
      answer = (_, response) => void response.writeHead(status, { location: `${other.url}/elsewhere` }).end();
      const commands = [
        ['whoami'],
        ['list'],
        ['get', 'x'],
        ['upload', 'a.txt'],
        ['send', 'a.txt', '--to', 'b@x.example'],
        ['link', 'a.txt'],
        ['doctor'],
        ['admin', 'api-key', 'b@x.example'],
        ['__complete', '--', 'show', ''],
      ];
      for (const args of commands) await waybill(args);
      answer = (request, response) => {
        if (request.url === '/account') {
          response.setHeader('upload-chunk-size', '8388608');
          return json(response, { user: { email: 'ann@x.example' } });
        }
        response.writeHead(status, { location: `${other.url}/elsewhere` }).end();
      };
      for (const args of commands) await waybill(args);
      assert.equal(seen.length, 0);
    });
});
