// Masks secrets in compressed pages, so that the compressed length reveals nothing (docs/adr/0048).
import { randomBytes } from 'node:crypto';

/** No token and no path begins like this. */
const mark = '~';

export function mask(text: string): string {
  const bytes = Buffer.from(text);
  const pad = randomBytes(bytes.length);
  return mark + Buffer.concat([pad, combine(bytes, pad)]).toString('base64url');
}

export function unmask(text: string): string {
  if (!text.startsWith(mark)) return text;
  const bytes = Buffer.from(text.slice(mark.length), 'base64url');
  const middle = Math.floor(bytes.length / 2);
  return combine(bytes.subarray(middle), bytes.subarray(0, middle)).toString();
}

function combine(bytes: Buffer, pad: Buffer): Buffer {
  return bytes.map((byte, index) => byte ^ (pad[index] ?? 0)) as Buffer;
}
