// The body of `POST /message`: JSON of up to 100 MB whose Base64 files flow into the encryptor while the rest is still
// being read. Memory does not grow with the files (docs/adr/0017).
import type { endpoints } from '#contract/endpoints.ts';
import type { InlineFiles, InlineSlot, StoredBytes } from '../../actions/messages/inline-files.ts';
import { Problem } from '../../domain/problem.ts';
import { decodeBase64 } from '../../lib/base64-stream.ts';
import { JsonTooLarge, readJsonStream } from '../../lib/json/stream.ts';
import { watchAccount } from '../account-watch.ts';
import { demandJsonType, invite, watchPace } from '../body.ts';
import type { Call } from '../endpoint.ts';

/** "100 MB overall, per message": of body, so about 75 MB of files. */
const maxBodyBytes = 100 * 1024 * 1024;
/** Everything that is not a file: addresses, subject, text. */
const maxKeptBytes = 1024 * 1024;

/** A name that no JSON text can write, so that nobody can send a mark of their own. */
const storedName = Symbol('stored');

/** Stands in the parsed value where Base64 text was. */
interface StoredMark {
  [storedName]: InlineSlot;
}

/** The bytes a mark stands for; null for everything a client wrote itself. */
export function storedBytesOf(value: unknown): StoredBytes | null {
  return typeof value === 'object' && value !== null && storedName in value
    ? (value as StoredMark)[storedName].bytes
    : null;
}

/** Reads the whole body; its files are stored when this resolves. */
export async function readMessageBody(
  { deps, caller, raw, response }: Call<(typeof endpoints)['sendMessage']>,
  files: InlineFiles,
): Promise<unknown> {
  demandJsonType(raw, true);
  if (Number(raw.headers['content-length'] ?? 0) > maxBodyBytes) throw bodyTooLarge();
  invite(raw, response);
  const unwatch = watchPace(raw);
  const unwatchAccount = watchAccount(deps, raw, caller.userId);
  try {
    const value = await readJsonStream(raw, {
      maxBytes: maxBodyBytes,
      maxKeptBytes,
      isStreamed: (path) =>
        path.length === 4 && path[0] === 'message' && path[1] === 'attachments' && path[3] === 'data',
      async onString(_path, content): Promise<StoredMark> {
        return { [storedName]: await files.take(decodeBase64(content)) };
      },
    });
    await files.stored();
    return value ?? {};
  } catch (error) {
    if (error instanceof JsonTooLarge) throw bodyTooLarge();
    if (error instanceof RangeError) throw new Problem('invalid', 'request.bad_json', error.message);
    throw error;
  } finally {
    unwatch();
    unwatchAccount();
  }
}

/** The request with checksums in place of bytes, so that two equal requests look equal. */
export function withoutBytes(value: unknown): unknown {
  const stored = storedBytesOf(value);
  if (stored !== null) return stored.received.sha256;
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutBytes(item)]));
}

function bodyTooLarge(): Problem {
  return new Problem(
    'too_large',
    'message.body_too_large',
    'A message with files inside can have 100 MB at most. Upload larger files first and send their ids.',
  );
}
