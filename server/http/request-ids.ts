// Names of requests, for answers and logs: 96 random bits each. Asking the system for so few bytes at a time costs more
// than the rest of a small answer's headers, so many are fetched at once.
import { randomFillSync } from 'node:crypto';

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
