// Loopback and trusted proxies carry many clients and have no limit by address.
import type { Server, Socket } from 'node:net';
import type { Trusted } from '../../lib/client-address.ts';

const maxSockets = 20_000;
const maxSocketsPerAddress = 200;

export function limitSockets(trusted: Trusted, server: Server): void {
  server.maxConnections = maxSockets;
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (address === '' || address === '::1' || /^(::ffff:)?127\./.test(address) || trusted.contains(address)) return;
    const count = (counts.get(address) ?? 0) + 1;
    if (count > maxSocketsPerAddress) {
      socket.destroy();
      return;
    }
    counts.set(address, count);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
  });
}
