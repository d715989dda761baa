// A JSON body of any size read in constant memory: chosen strings are handed out as streams while they come in, the
// rest is kept within a bound. Refuses what `parseJson` refuses. Never reads faster than the strings are taken; never
// destroys the source, so that a refusal can still be answered.
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createJsonBuilder } from './builder.ts';
import { createJsonInput, type JsonInput, JsonTooLarge } from './input.ts';
import { createStringReader } from './string.ts';
import { endsEarly, type JsonPath } from './tree.ts';

export type StreamedJson<Streamed> =
  | string
  | number
  | boolean
  | null
  | Streamed
  | StreamedJson<Streamed>[]
  | { [key: string]: StreamedJson<Streamed> };

export interface JsonStreamOptions<Streamed> {
  /** The whole body may have this many bytes. */
  maxBytes: number;
  /** Everything but the content of streamed strings (keys, other strings, numbers, structure, spaces) counts here. */
  maxKeptBytes?: number;
  maxDepth?: number;
  /** Is the string at this path to be streamed? E.g. `['message', 'attachments', 0, 'data']`. Asked of values only. */
  isStreamed(path: JsonPath): boolean;
  /**
   * Gets the content of such a string as UTF-8, escapes resolved; what it answers stands in the value instead of the
   * string. Awaited before parsing goes on behind the string. May answer early: the rest is skipped. When it rejects,
   * parsing stops and rejects with the same error. A key that comes twice is asked for twice, and the last one stays.
   */
  onString(path: JsonPath, content: Readable): Promise<Streamed>;
}

/**
 * Undefined for a body of no bytes at all. Rejects with a RangeError where the body is to blame, and with the error of
 * the source or of `onString` otherwise. When it settles, no `onString` is still at work: one whose body fails sees its
 * stream destroyed with that error and is waited for.
 */
export async function readJsonStream<Streamed>(
  source: Readable,
  options: JsonStreamOptions<Streamed>,
): Promise<StreamedJson<Streamed> | undefined> {
  const maxKeptBytes = options.maxKeptBytes ?? 256 * 1024;
  const builder = createJsonBuilder({ maxDepth: options.maxDepth ?? 32, isStreamed: options.isStreamed });
  const input = createJsonInput(source, options.maxBytes);
  let keptBytes = 0;
  try {
    if ((await input.current()) === null) return undefined;
    for (;;) {
      const piece = await input.current();
      if (piece === null) break;
      const readBytes = builder.read(piece, 0);
      keptBytes += readBytes;
      if (keptBytes > maxKeptBytes)
        throw new JsonTooLarge(`Apart from files the body may have at most ${maxKeptBytes} bytes.`);
      input.advance(readBytes);
      const path = builder.streamedPath();
      if (path === null) continue;
      builder.replaceString(await streamString(input, (content) => options.onString(path, content)));
      // The closing quote, which was read with the content.
      keptBytes += 1;
      // Many small strings in one chunk must not take one long turn of the event loop.
      await setImmediate();
    }
    return builder.finish() as StreamedJson<Streamed>;
  } finally {
    input.release();
  }
}

/** Hands one string out, from behind its opening quote to behind its closing one. */
async function streamString<Streamed>(input: JsonInput, onString: (content: Readable) => Promise<Streamed>) {
  const reader = createStringReader();
  const content = new Readable({ read: input.wake });
  // Whoever takes the content may not be listening yet, or no more.
  content.on('error', () => {}).on('close', input.wake);
  let isSettled = false;
  const result = Promise.resolve(content)
    .then(onString)
    .finally(() => {
      isSettled = true;
      // Answered early: nobody wants the rest.
      content.destroy();
      input.wake();
    });
  result.catch(input.fail);
  const hasRoom = () => content.destroyed || content.readableLength < content.readableHighWaterMark;
  try {
    for (let isOver = false; !isOver; ) {
      const piece = await input.current();
      if (piece === null) throw endsEarly();
      const part = reader.read(piece, 0);
      isOver = part.isOver;
      input.advance(part.next);
      if (part.bytes.length > 0 && !content.destroyed) content.push(part.bytes);
      await input.until(hasRoom);
    }
    if (!content.destroyed) content.push(null);
    await input.until(() => isSettled);
  } catch (error) {
    content.destroy(error as Error);
    await result.catch(() => {});
    throw error;
  }
  return result;
}
