// Syslog over TCP or TLS: RFC 5424 with octet counting (RFC 6587). The protocol has no acknowledgement, so each batch has a
// connection of its own: the server ends it after it has read everything, and resets it if it has not.
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { trustedWith } from './outbound-tls.ts';

export interface SyslogTarget {
  url: URL;
  certificates: readonly string[];
}

export interface SyslogMessage {
  at: string;
  host: string;
  /** At most 32 printable characters. */
  messageId: string;
  /** 0 (emergency) to 7 (debug). */
  severity: number;
  text: string;
}

/** Security audit. */
const facility = 13;
export const defaultPorts = { 'tls:': 6514, 'tcp:': 601 };
const timeoutMs = 30_000;
/** A server that keeps its side open. */
const endMs = 5000;

export function frame({ at, host, messageId, severity, text }: SyslogMessage): Buffer {
  const header = `<${facility * 8 + severity}>1 ${at} ${host} waybill - ${messageId.slice(0, 32)} -`;
  const message = Buffer.from(`${header} ${text}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** Resolves when the server has read every message. */
export async function sendSyslog(target: SyslogTarget, messages: readonly SyslogMessage[]): Promise<void> {
  const socket = open(target);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
  let ending: NodeJS.Timeout | undefined;
  let hasSent = false;
  socket.on('error', reject);
  socket.on('end', () => (hasSent ? resolve() : reject(new Error('the server ended the connection'))));
  socket.on('close', () => (hasSent ? resolve() : reject(new Error('the connection was closed'))));
  socket.resume();
  socket.once(target.url.protocol === 'tls:' ? 'secureConnect' : 'connect', () => {
    socket.end(Buffer.concat(messages.map(frame)), () => {
      hasSent = true;
      ending = setTimeout(resolve, endMs);
    });
  });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    clearTimeout(ending);
    socket.destroy();
  }
}

function open({ url, certificates }: SyslogTarget): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'tls:';
  const port = Number(url.port || defaultPorts[isTls ? 'tls:' : 'tcp:']);
  if (!isTls) return connectTcp({ host, port, allowHalfOpen: true });
  return connectTls({
    host,
    port,
    servername: host,
    minVersion: 'TLSv1.2',
    ...(certificates.length === 0 ? {} : { ca: trustedWith(certificates) }),
  });
}
