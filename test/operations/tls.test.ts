// Built-in TLS: HTTP/1.1 and HTTP/2 on one port, changed certificates, redirects.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { trustCertificates } from '#server/lib/outbound-tls.ts';
import { onOneEngine, type TestApp } from '#test/kit/app.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { ApiClient } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { askStream, type StreamRequest } from '#test/kit/tls-clients.ts';

const key = 'AdminKeyAdminKeyAdmin0';
const authorization = `Bearer ${key}`;
const json = 'application/json';

onOneEngine('built-in TLS', (start) => {
  let app: TestApp;
  let folder: string;
  let port: number;
  let redirectPort: number;
  let secure: ApiClient;
  let session: ClientHttp2Session;
  let distrust: () => void;
  const first = makeCertificate();
  const second = makeCertificate();
  const lines: string[] = [];

  const install = async (cert: string, keyPem: string) => {
    await writeFile(join(folder, 'cert.pem'), cert);
    await writeFile(join(folder, 'key.pem'), keyPem);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-tls-'));
    await install(first.certificatePem, first.keyPem);
    distrust = trustCertificates([first.certificatePem]);
    [port, redirectPort] = (await freePorts(2)) as [number, number];
    const note = (_: object, sentence: string) => void lines.push(sentence);
    app = await start({
      log: { debug() {}, info: note, warn: note, error: note },
      environment: {
        WAYBILL_LISTEN: `127.0.0.1:${port}`,
        WAYBILL_BASE_URL: `https://localhost:${port}`,
        WAYBILL_TLS_CERT_FILE: join(folder, 'cert.pem'),
        WAYBILL_TLS_KEY_FILE: join(folder, 'key.pem'),
        WAYBILL_TLS_REDIRECT_LISTEN: `127.0.0.1:${redirectPort}`,
      },
    });
    secure = new ApiClient(`https://localhost:${port}`, key, 'root@example.com');
    session = connectHttp2(`https://localhost:${port}`);
  });
  after(async () => {
    session.close();
    await app.close();
    distrust();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (request: StreamRequest) =>
    askStream(session, { ...request, headers: { authorization, ...request.headers } });
  const answerOf = <Body>({ bytes }: { bytes: Buffer }) => JSON.parse(String(bytes)) as Body;

  async function linkTo(attachment: string): Promise<string> {
    const { body } = await secure.expect(200, 'createFileLink', { body: { link: { attachment } } });
    return (body as { link: { id: string } }).link.id;
  }

  /** The path of the file, as a browser gets it. */
  async function openTicket(link: string): Promise<string> {
    const { status, headers } = await askStream(session, {
      method: 'POST',
      path: `/link/${link}/download`,
      headers: {
        accept: 'text/html',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: Buffer.alloc(0),
    });
    assert.equal(status, 303);
    return String(headers.location);
  }

  for (const sizeBytes of [0, 1, 9_000_000]) {
    test(`a file of ${sizeBytes} bytes goes in and out over both protocols`, async () => {
      const content = Buffer.alloc(sizeBytes, 'waybill ');
      const overHttp1 = await secure.upload('a.bin', content);
      for (const headers of [{ 'content-length': sizeBytes }, {}, { expect: '100-continue' }]) {
        const type = { 'content-type': 'application/octet-stream', ...headers };
        const path = '/link/attachments/upload?filename=a.bin';
        const reply = await ask({ method: 'POST', path, headers: type, body: content });
        assert.equal(reply.status, 200, String(reply.bytes));
        const { attachment } = answerOf<{ attachment: { id: string; size: number; checksum?: string } }>(reply);
        assert.equal(attachment.size, overHttp1.size);
        const file = await askStream(session, { path: await openTicket(await linkTo(attachment.id)) });
        assert.equal(file.status, 200);
        assert.equal(file.resetCode, null);
        assert.ok(content.equals(file.bytes));
      }
    });
  }

  test('answers in JSON are equal over both protocols', async () => {
    const reply = await ask({ path: '/account' });
    assert.deepEqual(answerOf(reply), (await secure.expect(200, 'getAccount')).body);
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
  });

  test('a body that is cut off over HTTP/2 is not taken for complete', async () => {
    for (const path of ['/link', '/link/attachments/upload?filename=cut.bin']) {
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        authorization,
        'content-type': path === '/link' ? json : 'application/octet-stream',
      });
      stream.on('error', () => {});
      const { attachments } = (await secure.expect(200, 'listAttachments')).body as { attachments: unknown[] };
      stream.write('{}');
      await until(async () => stream.writableLength === 0);
      stream.close(8);
      await once(stream, 'close');
      const after = (await secure.expect(200, 'listAttachments')).body as { attachments: unknown[] };
      assert.equal(after.attachments.length, attachments.length);
    }
    assert.equal((await ask({ path: '/account' })).status, 200);
  });

  test('a refused upload ends its stream and leaves the others of its connection', async () => {
    const large = Buffer.alloc(3_000_000);
    const path = '/link/attachments/upload?filename=a.bin';
    const refused = await askStream(session, {
      method: 'POST',
      path,
      headers: { authorization: 'Bearer WrongKeyWrongKeyWrong0', 'content-type': 'application/octet-stream' },
      body: large,
    });
    assert.equal(refused.status, 401);
    assert.equal((await ask({ path: '/account' })).status, 200);
    assert.equal(session.destroyed, false);
  });

  test('a foreign host is refused over HTTP/2', async () => {
    const reply = await ask({ path: '/account', headers: { ':authority': 'other.example.com' } });
    assert.equal(reply.status, 421);
  });

  test('pages carry strict-transport-security', async () => {
    const { headers } = await askStream(session, { path: '/sign-in', headers: { accept: 'text/html' } });
    assert.match(String(headers['strict-transport-security']), /^max-age=31536000/);
  });

  test('readiness is served over TLS, and plain HTTP on the port of TLS is not', async () => {
    assert.equal((await fetch(`https://localhost:${port}/readyz`)).status, 200);
    await assert.rejects(fetch(`http://localhost:${port}/readyz`));
  });

  test('plain HTTP is redirected for people, and refused for data and keys', async () => {
    const plain = `http://127.0.0.1:${redirectPort}`;
    const page = await rawRequest(`${plain}/link/abc?x=1`, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 301);
    assert.equal(page.headers.location, `https://localhost:${port}/link/abc?x=1`);
    const elsewhere = await rawRequest(`${plain}//evil.example/`);
    assert.equal(elsewhere.headers.location, `https://localhost:${port}/`);
    for (const options of [{ method: 'POST' }, { headers: { authorization } }]) {
      const reply = await rawRequest(`${plain}/account`, options);
      assert.equal(reply.status, 403);
      assert.match(reply.text, /request\.insecure/);
    }
  });

  const presented = async () => {
    const socket: TLSSocket = connect({ host: 'localhost', port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const warnings = async () => answerOf<{ warnings?: unknown[] }>(await ask({ path: '/readyz' })).warnings ?? [];

  test('a changed pair is used without dropping a connection; a broken one leaves the old pair with one line', async () => {
    const before = await presented();
    const running = connect({ host: 'localhost', port });
    await once(running, 'secureConnect');
    await install(second.certificatePem, first.keyPem);
    await until(async () => (await warnings()).length === 1);
    assert.deepEqual(await warnings(), [{ check: 'certificate' }]);
    assert.equal(await presented(), before);
    await install(second.certificatePem, second.keyPem);
    await until(async () => (await presented()) !== before);
    await until(async () => (await warnings()).length === 0);
    assert.equal(lines.filter((line) => /belongs to another certificate/.test(line)).length, 1);
    running.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    assert.match(String((await once(running, 'data'))[0]), /^HTTP\/1\.1 200/);
    running.destroy();
    assert.equal((await ask({ path: '/account' })).status, 200);
  });
});
