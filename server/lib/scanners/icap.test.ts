// The ICAP client against scripted servers; test/api/icap.test.ts uses a real one.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { makeCertificate } from '#test/kit/certificate.ts';
import { openIcap } from './icap.ts';
import { createAnswerReader } from './icap-answer.ts';
import { FileRefused, ScannerSilent } from './scanner.ts';
import { testScanner } from './self-test.ts';

const closing: (() => void)[] = [];
after(() => {
  for (const close of closing) close();
});

const abilities =
  'ICAP/1.0 200 OK\r\nMethods: RESPMOD\r\nISTag: "one"\r\nService: Test\r\nEncapsulated: null-body=0\r\n\r\n';
const unmodified = 'ICAP/1.0 204 Unmodified\r\nISTag: "one"\r\n\r\n';

interface Script {
  options?: string;
  /** Null for silence. */
  answer(request: string): string | null;
  /** Whether the request is complete enough to be answered. */
  isReady?(request: string): boolean;
}

async function scannerOf({ options = abilities, answer, isReady }: Script, timeoutMs = 5000) {
  const requests: string[] = [];
  const serve = (socket: Socket) => {
    let received = '';
    let isAnswered = false;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      const isOptions = received.startsWith('OPTIONS');
      const isComplete = isOptions || (isReady ?? ((text) => /\r\n0(; ieof)?\r\n\r\n$/.test(text)))(received);
      if (isAnswered || !isComplete) return;
      const text = isOptions ? options : answer(received);
      isAnswered = text === null || !text.startsWith('ICAP/1.0 100');
      requests.push(received);
      if (text !== null) socket.write(text, 'latin1');
    });
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as { port: number };
  const address = { host: '127.0.0.1', port, service: 'scan', isTls: false };
  const scanner = openIcap(address, { timeoutMs, authorities: [] });
  const scan = (content: string) =>
    scanner.scan({
      fileName: 'file.bin',
      sizeBytes: content.length,
      async *read() {
        if (content !== '') yield Buffer.from(content);
      },
    });
  return { scanner, scan, requests };
}

const verdictOn = async (answer: string, content = 'content') =>
  (await scannerOf({ answer: () => answer })).scan(content);

function replaced(body: string, head = 'HTTP/1.1 403 Forbidden\r\n\r\n', encapsulated?: string): string {
  const sections = encapsulated ?? `res-hdr=0, res-body=${head.length}`;
  return `ICAP/1.0 200 OK\r\nISTag: "one"\r\nEncapsulated: ${sections}\r\n\r\n${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

test('an answer that is not understood is no verdict', async () => {
  const refused = [
    'HTTP/1.1 200 OK\r\n\r\n',
    'ICAP/1.0 200 OK\r\nISTag: "one"\r\n\r\n',
    'ICAP/1.0 404 Not found\r\n\r\n',
    'ICAP/1.0 403 Forbidden\r\n\r\n',
    'ICAP/1.0 302 Found\r\n\r\n',
    replaced('content', 'HTTP/1.1 200 OK\r\n\r\n', 'res-hdr=0, res-body=5'),
    replaced('content', 'HTTP/1.1 200 OK\r\n\r\n', 'res-body=19'),
    replaced('content', 'HTTP/1.1 200 OK\r\n\r\n', 'res-hdr=4, res-body=19'),
    replaced('content', 'HTTP/1.1 200 OK\r\n\r\n', 'res-hdr=0, res-hdr=0, res-body=19'),
    replaced('content', 'HTTP/1.1 200 OK\r\n\r\n', 'nonsense'),
    replaced('content').replace('\r\n7\r\n', '\r\nlong\r\n'),
    replaced('content').replace('\r\n7\r\n', '\r\n5\r\n'),
  ];
  for (const answer of refused) await assert.rejects(verdictOn(answer), ScannerSilent, answer);
});

test('an error about one file is told apart from a scanner that does not work', async () => {
  await assert.rejects(verdictOn('ICAP/1.0 500 Server error\r\n\r\n'), FileRefused);
});

test('a server that refuses protected archives with 500 passes the self-test, and one that refuses all files does not', async () => {
  const answerTo = (request: string) => {
    if (request.includes('EICAR-STANDARD')) return replaced('blocked');
    return request.includes('secret.txt') ? 'ICAP/1.0 500 Server error\r\n\r\n' : unmodified;
  };
  const { scanner } = await scannerOf({ answer: answerTo });
  assert.deepEqual(await testScanner(scanner), { version: 'Test "one"', reportsEncrypted: true });
  const broken = await scannerOf({ answer: () => 'ICAP/1.0 500 Server error\r\n\r\n' });
  await assert.rejects(testScanner(broken.scanner), ScannerSilent);
});

test('a server that is unreachable, silent or leaves within its answer gives no verdict', async () => {
  const silent = await scannerOf({ answer: () => null }, 300);
  await assert.rejects(silent.scan('content'), /has not answered/);
  const half = await scannerOf({ answer: () => replaced('content').slice(0, -9) }, 300);
  await assert.rejects(half.scan('content'), ScannerSilent);
  const away = openIcap(
    { host: '127.0.0.1', port: 1, service: 's', isTls: false },
    { timeoutMs: 1000, authorities: [] },
  );
  await assert.rejects(away.version(), /cannot be reached/);
});

test('a server without RESPMOD and REQMOD, or without ISTag, is refused', async () => {
  const none = await scannerOf({ options: abilities.replace('RESPMOD', 'LOG'), answer: () => unmodified });
  await assert.rejects(none.scanner.version(), /neither RESPMOD nor REQMOD/);
  const untagged = await scannerOf({ options: abilities.replace('ISTag: "one"\r\n', ''), answer: () => unmodified });
  await assert.rejects(untagged.scanner.version(), /ISTag/);
});

test('a file is clean if the server leaves it unmodified, also if it returns it whole', async () => {
  assert.equal((await verdictOn(unmodified)).verdict, 'clean');
  assert.equal((await verdictOn(replaced('content', 'HTTP/1.1 200 OK\r\n\r\n'))).verdict, 'clean');
});

test('a file that the server replaces is infected, whatever its headers say', async () => {
  for (const answer of [
    replaced('blocked'),
    replaced('changed', 'HTTP/1.1 200 OK\r\n\r\n'),
    replaced('', 'HTTP/1.1 200 OK\r\n\r\n').replace('\r\n0\r\n\r\n0\r\n\r\n', '\r\n0\r\n\r\n'),
    replaced('content', 'HTTP/1.1 403 Forbidden\r\n\r\n'),
  ])
    assert.deepEqual(await verdictOn(answer), {
      verdict: 'infected',
      reason: '',
      signature: 'blocked by the ICAP server',
    });
});

test('the name of the malware is found, also in an answer that leaves the file unmodified', async () => {
  const named = 'X-Infection-Found: Type=0; Resolution=2; Threat=Eicar-Test;';
  for (const answer of [replaced('blocked'), unmodified])
    assert.deepEqual(await verdictOn(answer.replace('ISTag', `${named}\r\nISTag`)), {
      verdict: 'infected',
      reason: '',
      signature: 'Eicar-Test',
    });
  const encrypted = replaced('blocked').replace('ISTag', 'X-Virus-ID: Heuristics.Encrypted.Zip\r\nISTag');
  assert.equal((await verdictOn(encrypted)).reason, 'encrypted');
});

test('a server that asks for a preview receives the rest only after 100 Continue', async () => {
  const script = (last: string): Script => ({
    options: abilities.replace('ISTag', 'Preview: 4\r\nISTag'),
    isReady: (text) => /0\r\n\r\n$/.test(text),
    answer: (text) => (text.includes('ent\r\n') ? last : 'ICAP/1.0 100 Continue\r\n\r\n'),
  });
  const scanner = await scannerOf(script(unmodified));
  assert.equal((await scanner.scan('content')).verdict, 'clean');
  const [, preview, whole] = scanner.requests as [string, string, string];
  assert.match(preview, /Preview: 4\r\n/);
  assert.ok(preview.endsWith('\r\n4\r\ncont\r\n0\r\n\r\n'));
  assert.ok(whole.endsWith('\r\n3\r\nent\r\n0\r\n\r\n'));
});

test('a server that answers after the preview has not scanned the file', async () => {
  const scanner = await scannerOf({
    options: abilities.replace('ISTag', 'Preview: 1024\r\nISTag'),
    isReady: (text) => /0\r\n\r\n$/.test(text),
    answer: () => unmodified,
  });
  assert.deepEqual(await scanner.scan('content'), { verdict: 'unscannable', reason: 'skipped', signature: '' });
});

test('a server that only has REQMOD receives the file as a request', async () => {
  const options = abilities.replace('RESPMOD', 'REQMOD');
  const scanner = await scannerOf({ options, answer: () => unmodified });
  assert.equal((await scanner.scan('content')).verdict, 'clean');
  const [, request = ''] = scanner.requests;
  assert.match(request, /^REQMOD icap:/);
  const sections = /Encapsulated: req-hdr=0, req-body=(\d+)\r\n\r\n/.exec(request)!;
  const encapsulated = request.slice(sections.index + sections[0].length);
  assert.ok(encapsulated.slice(0, Number(sections[1])).endsWith('\r\n\r\n'));
  assert.ok(encapsulated.slice(Number(sections[1])).startsWith('7\r\ncontent\r\n'));
});

test('an answer is read the same however it is cut', () => {
  const answer = `ICAP/1.0 100 Continue\r\n\r\n${replaced('blocked content')}`;
  const reader = createAnswerReader();
  for (const byte of Buffer.from(answer, 'latin1')) {
    reader.take(Buffer.from([byte]));
    if (reader.answer()?.status === 100) reader.next();
  }
  const found = reader.answer()!;
  assert.equal(found.status, 200);
  assert.equal(found.http?.status, 403);
  assert.equal(found.http?.sha256.length, 64);
});

test('icaps needs a certificate of a known authority', async () => {
  const { keyPem, certificatePem } = makeCertificate();
  const server = createTlsServer({ key: keyPem, cert: certificatePem }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end(abilities));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as { port: number };
  const address = { host: 'localhost', port, service: 'scan', isTls: true };
  const open = (authorities: string[]) => openIcap(address, { timeoutMs: 5000, authorities });
  await assert.rejects(open([]).version(), /cannot be reached: .*(self.signed|certificate)/i);
  assert.equal(await open([certificatePem]).version(), 'Test "one"');
});
