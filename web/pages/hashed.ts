// Only for the built entry.
import { createHash } from 'node:crypto';
import type { Asset } from './page.ts';

export function hashed(name: string, extension: string, contentType: string, body: string | Uint8Array): Asset {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  return { path: `/assets/${name}.${hash}.${extension}`, contentType, body };
}
