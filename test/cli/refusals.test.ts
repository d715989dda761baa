// Unknown refusals of an upload: it ends immediately with the server's sentence and the documented exit code.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { useCommandLine } from '#test/kit/command-line.ts';

const account = JSON.stringify({ user: { email: 'ann@other.example', name: 'Ann' } });
const chunkBytes = '65536';

async function listen(server: Server): Promise<{ url: string; close(): void }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const refusal = (status: number) => JSON.stringify({ errors: [`Not with ${status}.`], code: 'of.another.make' });

describe('an upload that is refused', () => {
  const line = useCommandLine();
  let server: Awaited<ReturnType<typeof listen>>;
  let attempts = 0;
  before(async () => {
    writeFileSync(join(line.home, 'whole.bin'), Buffer.alloc(1_000));
    writeFileSync(join(line.home, 'chunks.bin'), Buffer.alloc(500_000));
    server = await listen(
      createServer((request, response) => {
        const url = new URL(request.url!, 'http://x');
        request.resume().on('end', () => answer(url, response));
      }),
    );
  });
  after(() => server.close());
  let wanted = 400;
  function answer(url: URL, response: ServerResponse): void {
    response.setHeader('upload-chunk-size', chunkBytes);
    if (url.pathname === '/account') return void response.end(account);
    attempts += 1;
    // The first chunk is accepted, the others are not.
    if (url.searchParams.get('chunk') === '0') return void response.writeHead(200, { 'upload-id': 'u1' }).end();
    response.writeHead(wanted, { 'content-type': 'application/json' }).end(refusal(wanted));
  }
  const upload = async (name: string, status: number) => {
    [wanted, attempts] = [status, 0];
    return line.run(['upload', name], { env: { WAYBILL_SERVER: server.url, WAYBILL_API_KEY: 'k' } });
  };

  const codes: [status: number, exitCode: number][] = [
    [400, 6],
    [402, 6],
    [403, 4],
    [405, 6],
    [406, 6],
    [409, 6],
    [410, 5],
    [411, 6],
    [414, 6],
    [415, 6],
    [418, 6],
    [421, 6],
    [422, 6],
    [423, 6],
    [426, 6],
    [428, 6],
    [431, 6],
    [451, 6],
  ];
  for (const [status, exitCode] of [...codes, [404, 5] as const])
    test(`with ${status}: in one request, it ends at the first answer with ${exitCode} and the sentence`, async () => {
      const ran = await upload('whole.bin', status);
      assert.equal(ran.code, exitCode, ran.err);
      assert.match(ran.err, new RegExp(`whole\\.bin: Not with ${status}\\.`));
      assert.equal(attempts, 1);
    });

  for (const [status, exitCode] of codes.filter(([one]) => [400, 403, 418].includes(one)))
    test(`with ${status}: in chunks, no further chunk is sent`, async () => {
      const ran = await upload('chunks.bin', status);
      assert.equal(ran.code, exitCode, ran.err);
      assert.match(ran.err, new RegExp(`chunks\\.bin: Not with ${status}\\.`));
      assert.ok(attempts <= 1 + 8, `${attempts} requests`);
    });

  test('before its body was read: it ends the same way', async () => {
    let requests = 0;
    const rude = await listen(
      createRawServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', (head) => {
          const isAccount = head.includes('GET /account');
          if (!isAccount) requests += 1;
          const [status, text] = isAccount ? ['200 OK', account] : ['418 Teapot', refusal(418)];
          const headers = `Content-Type: application/json\r\nUpload-Chunk-Size: 8388608\r\nContent-Length: ${text.length}`;
          socket.write(`HTTP/1.1 ${status}\r\n${headers}\r\nConnection: close\r\n\r\n${text}`);
          socket.pause();
        });
      }),
    );
    writeFileSync(join(line.home, 'large.bin'), Buffer.alloc(6_000_000));
    try {
      const env = { WAYBILL_SERVER: rude.url, WAYBILL_API_KEY: 'k' };
      const ran = await line.run(['--timeout', '10s', 'upload', 'large.bin'], { env });
      assert.equal(ran.code, 6, ran.err);
      assert.match(ran.err, /large\.bin: Not with 418\./);
      assert.equal(requests, 1);
    } finally {
      rude.close();
    }
  });
});
