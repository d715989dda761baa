import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { peekClientHello, readClientHello } from './client-hello.ts';

async function withClient(check: (socket: Socket) => Promise<void>): Promise<void> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', servername: 'files.example.com', ALPNProtocols: ['h2', 'x/1'] });
  client.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.on('error', () => {});
  await check(socket);
  client.destroy();
  socket.destroy();
  server.close();
}

test('the name and the protocols of a client are read, and its bytes stay in the socket', async () => {
  await withClient(async (socket) => {
    assert.deepEqual(await peekClientHello(socket), { serverName: 'files.example.com', protocols: ['h2', 'x/1'] });
    assert.equal((socket.read() as Buffer)[0], 0x16);
  });
});

test('a hello that is cut anywhere, or is none, is not read', async () => {
  await withClient(async (socket) => {
    await peekClientHello(socket);
    const hello = socket.read() as Buffer;
    for (let length = 0; length < hello.length; length++) {
      const cut = hello.subarray(0, length);
      assert.ok(
        canEnd(() => readClientHello(cut)),
        String(length),
      );
    }
  });
  assert.equal(readClientHello(Buffer.from('GET / HTTP/1.1\r\n\r\n')), null);
});

function canEnd(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    return error instanceof RangeError;
  }
}
