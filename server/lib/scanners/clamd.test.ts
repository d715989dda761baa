// The client of clamd against scripted servers; test/api/virus-scan.test.ts uses a real one.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { openClamd } from './clamd.ts';
import { ScannerSilent } from './scanner.ts';

const closing: (() => void)[] = [];
after(() => {
  for (const close of closing) close();
});

async function clamdOf(serve: (socket: Socket) => void, timeoutMs = 5000) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as { port: number };
  const scan = (sizeBytes: number) =>
    openClamd({ host: '127.0.0.1', port }, timeoutMs).scan({
      fileName: 'file.bin',
      sizeBytes,
      async *read() {
        yield Buffer.from('content');
      },
    });
  return { scan, connections: () => connections };
}

test('a clamd that hangs gives no verdict', async () => {
  const { scan } = await clamdOf((socket) => socket.resume(), 50);
  await assert.rejects(
    scan(7),
    (error: Error) => error instanceof ScannerSilent && /has not answered/.test(error.message),
  );
});

test('half an answer is no verdict', async () => {
  const { scan } = await clamdOf((socket) => socket.once('data', () => socket.end('stream: O')));
  await assert.rejects(
    scan(7),
    (error: Error) => error instanceof ScannerSilent && /within its answer/.test(error.message),
  );
});

test('a file beyond the 2 GB that clamd can scan is told to be too large, without a connection', async () => {
  const { scan, connections } = await clamdOf((socket) => socket.end());
  assert.deepEqual(await scan(2 * 1024 ** 3), { verdict: 'unscannable', reason: 'too_large', signature: '' });
  assert.equal(connections(), 0);
});
