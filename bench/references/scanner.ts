// A virus scanner with the protocol of clamd that reads everything and answers immediately; finds only EICAR.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { eicar } from '#server/lib/scanners/self-test.ts';
import type { Bench } from '../bench.ts';

const instream = 'zINSTREAM\0';
const endOfFile = Buffer.alloc(4);

/** Returns its address for WAYBILL_SCANNER. */
export async function startInstantScanner(bench: Bench): Promise<string> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  bench.atEnd(() => void server.close());
  return `clamd://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serve(socket: Socket): void {
  let head = Buffer.alloc(0);
  let last = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    if (head.length < 200) head = Buffer.concat([head, bytes.subarray(0, 200)]);
    if (head.includes('zVERSION\0')) return void socket.end('ClamAV 1.4.6/27000/bench\0');
    last = Buffer.concat([last.subarray(-4), bytes.subarray(-4)]);
    // A random file has such bytes at the end of a packet once in four billion packets.
    if (head.length <= instream.length || !last.subarray(-4).equals(endOfFile)) return;
    socket.end(head.includes(eicar) ? 'stream: Eicar-Test-Signature FOUND\0' : 'stream: OK\0');
  });
}
