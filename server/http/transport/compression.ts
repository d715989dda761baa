// Never compresses users' files, nor JSON, which may hold secrets beside client input.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type Encoding, encodings } from '#web/encodings.ts';

/** A file whose name changes with its content. */
export interface BuiltFile {
  name: string;
  contentType: string;
  /** The encodings the build has compressed it with. */
  encodings: readonly Encoding[];
  read(encoding: Encoding | null): Promise<string | Uint8Array>;
}

/** Browsers cache it for a year without revalidation. */
export async function sendBuiltFile(
  { raw, response }: { raw: IncomingMessage; response: ServerResponse },
  file: BuiltFile,
): Promise<void> {
  const encoding = acceptedEncoding(raw, file.encodings);
  // Each encoding is a representation with its own validator.
  const etag = `"${file.name}${encoding === null ? '' : `-${encoding}`}"`;
  const headers = {
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(file.encodings.length === 0 ? {} : { vary: 'Accept-Encoding' }),
  };
  if (isKnown(raw, etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const body = await file.read(encoding);
  response.writeHead(200, {
    ...headers,
    'content-type': file.contentType,
    'content-length': Buffer.byteLength(body),
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
  });
  response.end(body);
}

export interface CompressedText {
  body: string | Buffer;
  headers: { 'content-length': number; 'content-encoding'?: Encoding };
}

/** Secrets must be masked (lib/masking.ts), because the compressed length reveals repetitions. */
export function compressText(
  raw: IncomingMessage,
  text: string | Buffer,
  available: readonly Encoding[] = encodings,
): CompressedText {
  const encoding = acceptedEncoding(raw, available);
  if (encoding === null) return { body: text, headers: { 'content-length': Buffer.byteLength(text) } };
  const body = encoding === 'br' ? brotliCompressSync(text, quickBrotli) : gzipSync(text, { level: 6 });
  return { body, headers: { 'content-length': body.length, 'content-encoding': encoding } };
}

export const quickBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } };

/** The first of `available` that the client accepts (RFC 9110, 12.5.3). */
export function acceptedEncoding(raw: IncomingMessage, available: readonly Encoding[]): Encoding | null {
  const header = raw.headers['accept-encoding'];
  if (header === undefined) return null;
  const accepted = new Map<string, boolean>();
  for (const preference of String(header).split(',')) {
    const [name, ...parameters] = preference.toLowerCase().split(';');
    accepted.set(name!.trim(), !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter)));
  }
  return available.find((encoding) => accepted.get(encoding) ?? accepted.get('*') ?? false) ?? null;
}

/** Whether the client has this representation already. */
export function isKnown(raw: IncomingMessage, etag: string): boolean {
  const known = (raw.headers['if-none-match'] ?? '').split(',').map((value) => value.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
