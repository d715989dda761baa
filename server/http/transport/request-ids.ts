// Names of requests, for answers and logs: 96 random bits each. Asking the system for so few bytes at a time costs more
// than the rest of a small answer's headers, so several are generated together.
import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Trusted } from '../../lib/client-address.ts';

/** What proxies make: hexadecimal, Base64, UUIDs. Nothing that could break a line of a log. */
const cleanId = /^[A-Za-z0-9_.:=+@/-]{8,128}$/;

/** The name that a trusted proxy gave this request, so that its log and ours can be read together; else null. */
export function forwardedId(trusted: Trusted, raw: IncomingMessage): string | null {
  const given = raw.headers['x-request-id'];
  if (typeof given !== 'string' || !cleanId.test(given)) return null;
  return trusted.contains(raw.socket.remoteAddress ?? '') ? given : null;
}

const idBytes = 12;
const idsAtOnce = 256;

export function createRequestIds(): () => string {
  const pool = Buffer.allocUnsafeSlow(idBytes * idsAtOnce);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    at += idBytes;
    return pool.toString('base64url', at - idBytes, at);
  };
}
