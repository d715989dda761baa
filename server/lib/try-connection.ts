// Opens a connection, with TLS if the server has it, and closes it: does the server answer, and is its certificate trusted?
import { once } from 'node:events';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { trustedWith } from './outbound-tls.ts';

export interface Place {
  /** A name or an address, without brackets. */
  host: string;
  port: number;
  isTls: boolean;
  /** Connects to this address instead of resolving the name. */
  address?: string;
  /** Trusted as well. */
  certificates?: readonly string[];
}

const timeoutMs = 8000;

export function placeOf(url: URL, ports: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }): Place {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:' || url.protocol === 'tls:';
  return { host, port: Number(url.port || ports[url.protocol]), isTls };
}

/** Rejects with the connection's error; a timeout has the code `ETIMEDOUT`. */
export async function tryConnection({ host, port, isTls, address, certificates = [] }: Place): Promise<void> {
  const target = { host: address ?? host, port };
  const socket = isTls
    ? connectTls({
        ...target,
        minVersion: 'TLSv1.2',
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(certificates.length === 0 ? {} : { ca: trustedWith(certificates) }),
      })
    : connectPlain(target);
  socket.setTimeout(timeoutMs, () =>
    socket.destroy(Object.assign(new Error(`${host} does not answer`), { code: 'ETIMEDOUT' })),
  );
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect');
  } finally {
    socket.on('error', () => {}).destroy();
  }
}
