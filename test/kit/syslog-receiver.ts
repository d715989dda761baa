// A syslog server on loopback for tests: plain TCP, octet counting (RFC 6587), faults on request.
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface SyslogReceiver {
  url: string;
  /** Messages in the order of arrival, without their length. */
  messages: string[];
  /** `reset` breaks connections before they are read. */
  behaviour: 'accept' | 'reset';
  close(): Promise<void>;
}

export async function openSyslogReceiver(): Promise<SyslogReceiver> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    if (receiver.behaviour === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      receiver.messages.push(...splitFrames(Buffer.concat(chunks)));
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: SyslogReceiver = {
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: [],
    behaviour: 'accept',
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function splitFrames(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at);
    const length = Number(bytes.toString('latin1', at, space));
    messages.push(bytes.toString('utf8', space + 1, space + 1 + length));
    at = space + 1 + length;
  }
  return messages;
}
