// Reads when the certificate of a server ends, also of one that is not trusted or has ended.
import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

const timeoutMs = 8_000;

export interface TlsServer {
  host: string;
  port: number;
  /** What precedes TLS. */
  greeting: 'none' | 'smtp' | 'postgres';
}

export function serverOf(url: URL, usualPort: number, greeting: TlsServer['greeting'] = 'none'): TlsServer {
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || usualPort), greeting };
}

/** Rejects if the server does not answer or offers no TLS. */
export async function readCertificateEnd({ host, port, greeting }: TlsServer): Promise<number> {
  const plain = connectPlain({ host, port });
  plain.setTimeout(timeoutMs, () => plain.destroy(new Error(`${host} does not answer`)));
  try {
    await once(plain, 'connect');
    if (greeting === 'smtp') await startTlsOfSmtp(plain);
    if (greeting === 'postgres') await startTlsOfPostgres(plain);
    const name = isIP(host) === 0 ? { servername: host } : {};
    const secured: TLSSocket = connect({ socket: plain, ...name, rejectUnauthorized: false });
    secured.on('error', () => {});
    await Promise.race([
      once(secured, 'secureConnect'),
      once(plain, 'close').then(() => Promise.reject(new Error('closed'))),
    ]);
    return Date.parse(secured.getPeerCertificate().valid_to);
  } finally {
    plain.on('error', () => {}).destroy();
  }
}

async function startTlsOfSmtp(socket: Socket): Promise<void> {
  for (const command of ['EHLO waybill.invalid', 'STARTTLS', null]) {
    let reply = '';
    while (!/^\d{3} .*\r?\n$/m.test(reply)) reply += String((await once(socket, 'data'))[0]);
    if (!/^2/.test(reply)) throw new Error(reply.trim());
    if (command !== null) socket.write(`${command}\r\n`);
  }
}

/** The SSLRequest of PostgreSQL. */
async function startTlsOfPostgres(socket: Socket): Promise<void> {
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (String(answer) !== 'S') throw new Error('the database offers no TLS');
}
