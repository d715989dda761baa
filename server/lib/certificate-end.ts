// Reads how long the certificate of a server is valid, also of one that is not trusted or has ended.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

const timeoutMs = 8_000;

export interface TlsServer {
  host: string;
  port: number;
  /** What precedes TLS. */
  greeting: 'none' | 'smtp' | 'postgres' | 'ldap';
}

export function serverOf(url: URL, usualPort: number, greeting: TlsServer['greeting'] = 'none'): TlsServer {
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || usualPort), greeting };
}

/** Instants. */
export interface Validity {
  startsAt: number;
  endsAt: number;
}

/** Of a certificate as PEM or DER. Throws if it is none. */
export function validityOf(certificate: string | Buffer): Validity {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  return { startsAt: validFromDate.getTime(), endsAt: validToDate.getTime() };
}

/** Rejects if the server does not answer or offers no TLS. */
export async function readCertificateEnd(server: TlsServer): Promise<number> {
  return (await readValidity(server)).endsAt;
}

export async function readValidity({ host, port, greeting }: TlsServer): Promise<Validity> {
  const plain = connectPlain({ host, port });
  plain.setTimeout(timeoutMs, () => plain.destroy(new Error(`${host} does not answer`)));
  try {
    await once(plain, 'connect');
    if (greeting === 'smtp') await startTlsOfSmtp(plain);
    if (greeting === 'postgres') await startTlsOfPostgres(plain);
    if (greeting === 'ldap') await startTlsOfLdap(plain);
    const name = isIP(host) === 0 ? { servername: host } : {};
    const secured: TLSSocket = connect({ socket: plain, ...name, rejectUnauthorized: false });
    secured.on('error', () => {});
    await Promise.race([
      once(secured, 'secureConnect'),
      once(plain, 'close').then(() => Promise.reject(new Error('closed'))),
    ]);
    const { valid_from: start, valid_to: end } = secured.getPeerCertificate();
    return { startsAt: Date.parse(start), endsAt: Date.parse(end) };
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

/** The extended request StartTLS (RFC 4511); its answer has the result code 0. */
async function startTlsOfLdap(socket: Socket): Promise<void> {
  const name = Buffer.from('1.3.6.1.4.1.1466.20037');
  const request = Buffer.concat([Buffer.from([0x77, name.length + 2, 0x80, name.length]), name]);
  socket.write(Buffer.concat([Buffer.from([0x30, request.length + 3, 2, 1, 1]), request]));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.includes(Buffer.from([0x0a, 1, 0]))) throw new Error('the directory offers no TLS');
}
