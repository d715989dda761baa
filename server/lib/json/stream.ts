// Parses JSON of any size in constant memory: chosen strings are streamed, the rest is bounded. Never destroys the
// source, so that a refusal can still be sent.
import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { type JsonValue, parseJson } from './json.ts';
import { createJsonScanner, type JsonPath } from './scanner.ts';
import { createStringReader, notJson } from './string.ts';

export class JsonTooLarge extends RangeError {
  override name = 'JsonTooLarge';
}

export type StreamedJson<Streamed> =
  | string
  | number
  | boolean
  | null
  | Streamed
  | StreamedJson<Streamed>[]
  | { [key: string]: StreamedJson<Streamed> };

export interface JsonStreamOptions<Streamed> {
  maxBytes: number;
  /** Limit of everything but the content of streamed strings. */
  maxKeptBytes?: number;
  maxDepth?: number;
  /** Selects strings to stream by their path. */
  isStreamed(path: JsonPath): boolean;
  /**
   * Receives the unescaped content; its result replaces the string. Parsing waits for it; unread content is skipped. A
   * repeated key is passed twice before the body is refused.
   */
  onString(path: JsonPath, content: Readable): Promise<Streamed>;
}

/**
 * Undefined for an empty body. Rejects with a RangeError for a bad body, else with the error of the source or of
 * `onString`. Settles only when every `onString` has.
 */
export async function readJsonStream<Streamed>(
  source: Readable,
  options: JsonStreamOptions<Streamed>,
): Promise<StreamedJson<Streamed> | undefined> {
  const body = createBody(options, (error) => sink.destroy(error));
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => void body.read(chunk).then(() => done(), done),
    final: (done) => done(body.isInsideString() ? notJson() : null),
    destroy: (error, done) => void body.stop(error).then(() => done(error)),
  });
  const onClose = () => {
    if (!source.readableEnded) sink.destroy(source.errored ?? closedEarly());
  };
  // Never removed: an error after a refusal must have a listener.
  source.on('error', (error) => sink.destroy(error));
  if (source.destroyed || source.readableEnded) throw source.errored ?? closedEarly();
  source.on('close', onClose).pipe(sink);
  try {
    await finished(sink);
  } finally {
    source.off('close', onClose).unpipe(sink);
  }
  return body.finish();
}

/** Yields to the event loop after this many bytes. */
const maxTurnBytes = 128 * 1024;

function createBody<Streamed>(options: JsonStreamOptions<Streamed>, fail: (error: Error) => void) {
  const { maxBytes, maxKeptBytes = 256 * 1024, maxDepth = 32 } = options;
  const scanner = createJsonScanner(options.isStreamed, maxDepth);
  /** Results by placeholder text: random, so that no body can contain it. */
  const replaced = new Map<string, Streamed>();
  let handedOut: HandedOut<Streamed> | null = null;
  let failure: Error | null = null;
  let receivedBytes = 0;
  let keptBytes = 0;

  function readKept(chunk: Buffer): number {
    const readBytes = scanner.read(chunk);
    keptBytes += readBytes;
    if (keptBytes > maxKeptBytes)
      throw new JsonTooLarge(`Apart from files the body may have at most ${maxKeptBytes} bytes.`);
    const path = scanner.stoppedAt();
    if (path !== null) handedOut = handOut((content) => options.onString(path, content), fail);
    return readBytes;
  }

  async function readString(string: HandedOut<Streamed>, chunk: Buffer): Promise<number> {
    const { content, next, isOver } = string.reader(chunk);
    await string.push(content);
    if (!isOver || failure !== null) return next;
    // The closing quote.
    keptBytes += 1;
    const placeholder = randomUUID();
    replaced.set(placeholder, await string.end());
    scanner.replace(placeholder);
    handedOut = null;
    return next;
  }

  return {
    async read(chunk: Buffer): Promise<void> {
      receivedBytes += chunk.length;
      if (receivedBytes > maxBytes) throw new JsonTooLarge(`The body may have at most ${maxBytes} bytes.`);
      for (let at = 0; at < chunk.length && failure === null; ) {
        const part = chunk.subarray(at, at + maxTurnBytes);
        at += handedOut === null ? readKept(part) : await readString(handedOut, part);
        if (at < chunk.length) await setImmediate();
      }
    },
    isInsideString: () => handedOut !== null,
    async stop(error: Error | null): Promise<void> {
      failure = error;
      if (error !== null) await handedOut?.abandon(error);
    },
    finish(): StreamedJson<Streamed> | undefined {
      if (receivedBytes === 0) return undefined;
      return putBack(parseJson(decodeUtf8(scanner.kept()), { maxDepth }), replaced);
    },
  };
}

interface HandedOut<Streamed> {
  reader: ReturnType<typeof createStringReader>;
  /** Resolves when there is room for more, or the reader has stopped. */
  push(bytes: Buffer): Promise<void>;
  end(): Promise<Streamed>;
  abandon(error: Error): Promise<void>;
}

function handOut<Streamed>(
  onString: (content: Readable) => Promise<Streamed>,
  fail: (error: Error) => void,
): HandedOut<Streamed> {
  let wake: () => void = () => {};
  const content = new Readable({ read: () => wake() });
  // The consumer may not be listening yet, or no longer.
  content.on('error', () => {}).on('close', () => wake());
  const result = Promise.resolve(content)
    .then(onString)
    .finally(() => content.destroy());
  result.catch(fail);
  return {
    reader: createStringReader(),
    async push(bytes) {
      if (bytes.length === 0 || content.destroyed || content.push(bytes)) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    end() {
      if (!content.destroyed) content.push(null);
      return result;
    },
    async abandon(error) {
      content.destroy(error);
      await result.catch(() => {});
    },
  };
}

function putBack<Streamed>(value: JsonValue, replaced: Map<string, Streamed>): StreamedJson<Streamed> {
  if (typeof value === 'string') return replaced.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => putBack(item, replaced));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, putBack(item, replaced)]));
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RangeError('The body is not valid UTF-8.');
  }
}

function closedEarly(): Error {
  return Object.assign(new Error('The stream closed before its end was read.'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
}
