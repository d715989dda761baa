// Ids are generated in batches, because one system call per id is expensive.
import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Trusted } from '../../lib/client-address.ts';

/** Excludes everything that could break a log line. */
const cleanId = /^[A-Za-z0-9_.:=+@/-]{8,128}$/;

/** Lets operators correlate the logs of proxy and service. */
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
