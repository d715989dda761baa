// Mail servers on loopback: a correct one (package smtp-server), and one that misbehaves at a chosen point.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  envelopeFrom: string;
  envelopeTo: string[];
  mime: Buffer;
  isEncrypted: boolean;
  user: string | null;
}

export interface TestRelay {
  port: number;
  received: ReceivedMail[];
  close(): Promise<void>;
}

/** Accepts every mail unless `options` differ. */
export async function startRelay(options: SMTPServerOptions = {}): Promise<TestRelay> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    async onData(stream, session, callback) {
      const mime = await buffer(stream);
      received.push({
        envelopeFrom: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
        envelopeTo: session.envelope.rcptTo.map((recipient) => recipient.address),
        mime,
        isEncrypted: session.secure,
        user: (session.user as string | undefined) ?? null,
      });
      callback(null, `queued as ${received.length}`);
    },
    ...options,
  });
  // Some tests disconnect in the middle.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, received, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

export type Misbehaviour = 'cuts-at-greeting' | 'says-nothing' | 'stalls' | 'cuts-after-data' | 'cuts-after-250';

export interface BadRelay {
  port: number;
  handedOver(): number;
  close(): Promise<void>;
}

export async function startBadRelay(misbehaviour: Misbehaviour): Promise<BadRelay> {
  const sockets = new Set<Socket>();
  let handedOver = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    if (misbehaviour === 'cuts-at-greeting') return socket.destroy();
    if (misbehaviour === 'says-nothing') return;
    converse(socket, misbehaviour, () => {
      handedOver += 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    handedOver: () => handedOver,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function converse(socket: Socket, misbehaviour: Misbehaviour, onMail: () => void): void {
  let isData = false;
  let pending = '';
  socket.write('220 relay.example ESMTP\r\n');
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    if (isData) {
      if (!pending.endsWith('\r\n.\r\n')) return;
      onMail();
      if (misbehaviour === 'cuts-after-250') socket.end('250 2.0.0 Ok: queued as 4F2\r\n');
      socket.destroySoon();
      return;
    }
    for (let end = pending.indexOf('\r\n'); end >= 0 && !isData; end = pending.indexOf('\r\n')) {
      const line = pending.slice(0, end).toUpperCase();
      pending = pending.slice(end + 2);
      if (line.startsWith('RCPT') && misbehaviour === 'stalls') return;
      isData = line === 'DATA';
      socket.write(isData ? '354 go on\r\n' : '250 ok\r\n');
    }
  });
}
