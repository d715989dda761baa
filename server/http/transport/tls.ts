// Ends TLS in front of the web servers of HTTP/1.1 and HTTP/2, chosen by ALPN.
import type { Socket } from 'node:net';
import { createSecureContext, createServer, TLSSocket } from 'node:tls';
import type { CertificatePair } from '../../lib/certificate-pair.ts';
import { peekClientHello } from '../../lib/client-hello.ts';

export interface CertificateSource {
  /** Null before the first certificate was issued. */
  current(): CertificatePair | null;
  /** Null if a certificate authority never connects to check a name (ACME). */
  challenges: Challenges | null;
}

export interface Challenges {
  /** The answer to HTTP-01; null for an unknown token. */
  findKeyAuthorization(token: string): Promise<string | null>;
  /** The answer to TLS-ALPN-01; null if nothing is being checked for this name. */
  createCertificate(serverName: string): Promise<CertificatePair | null>;
}

export interface TlsEntrance {
  /** Serves a connection of which nothing was read. */
  take(connection: Socket): void;
  /** Cuts all connections. */
  close(): void;
}

export interface SecuredProtocols {
  http1(socket: TLSSocket): void;
  http2(socket: TLSSocket): void;
}

const handshakeMs = 15_000;

export function createTlsEntrance(source: CertificateSource, protocols: SecuredProtocols): TlsEntrance {
  const open = new Set<Socket>();
  let used: CertificatePair | null = null;
  const server = createServer({ ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: handshakeMs });
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') protocols.http2(socket);
    else protocols.http1(socket);
  });
  const serve = (connection: Socket) => {
    const current = source.current();
    if (current === null || connection.destroyed) return void connection.destroy();
    // Open connections keep theirs.
    if (current !== used) server.setSecureContext({ ...current, minVersion: 'TLSv1.2' });
    used = current;
    server.emit('connection', connection);
  };
  return {
    take(connection) {
      open.add(connection);
      connection.once('close', () => open.delete(connection));
      const { challenges } = source;
      if (challenges === null) return serve(connection);
      connection.on('error', () => {});
      answerChallenge(connection, challenges)
        .catch(() => connection.destroy())
        .then((isAnswered) => isAnswered === true || serve(connection));
    },
    close() {
      for (const connection of open) connection.destroy();
    },
  };
}

const challengeProtocol = 'acme-tls/1';

/** True for a connection of a certificate authority that checks a name. */
async function answerChallenge(connection: Socket, challenges: Challenges): Promise<boolean> {
  const hello = await peekClientHello(connection);
  if (hello?.protocols.includes(challengeProtocol) !== true) return false;
  const pair = await challenges.createCertificate(hello.serverName ?? '');
  if (pair === null || connection.destroyed) {
    connection.destroy();
    return true;
  }
  const secureContext = createSecureContext(pair);
  const secured = new TLSSocket(connection, { isServer: true, secureContext, ALPNProtocols: [challengeProtocol] });
  secured.setTimeout(handshakeMs, () => secured.destroy());
  secured.on('error', () => secured.destroy()).on('secure', () => secured.end());
  return true;
}
