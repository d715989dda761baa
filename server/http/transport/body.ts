// Refused bodies are drained briefly so that the client can read the refusal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyAborted } from '../../domain/ports.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { DuplicateKey, type JsonValue, parseJson } from '../../lib/json/json.ts';

const jsonMaxBytes = 256 * 1024;
const jsonTimeoutMs = 60_000;

/** An empty body is an empty object. */
export async function readJson(
  raw: IncomingMessage,
  response: ServerResponse,
  notJsonIs422: boolean,
): Promise<JsonValue> {
  requireJsonType(raw, notJsonIs422);
  const bytes = await readAll(raw, response, jsonMaxBytes);
  if (bytes.length === 0) return {};
  const text = decodeUtf8(bytes);
  try {
    return parseJson(text);
  } catch (error) {
    throw notJson(error);
  }
}

export function notJson(error: unknown): Problem {
  if (!(error instanceof DuplicateKey))
    return invalid('request.bad_json', error instanceof RangeError ? error.message : 'The body is not valid JSON.');
  const name = shortName(error.key);
  const sentence = `The JSON holds the key "${name}" more than once. Send each key once.`;
  return invalid('request.duplicate_key', sentence, name).withValues({ name });
}

/** A client-chosen name, shortened for a sentence. */
export function shortName(name: string): string {
  return Array.from(name.slice(0, 200)).slice(0, 100).join('');
}

function typeOf(raw: IncomingMessage): string {
  return (raw.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

export function isJson(raw: IncomingMessage): boolean {
  return ['application/json', 'text/json', 'application/scim+json'].includes(typeOf(raw));
}

/** True also for a body of unknown length. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A missing type is accepted; a different one is not. */
export function requireJsonType(raw: IncomingMessage, notJsonIs422: boolean): void {
  if (typeOf(raw) === '' || isJson(raw)) return;
  throw new Problem(
    'invalid',
    notJsonIs422 ? 'request.bad_json' : 'request.not_json',
    'The body must be JSON (Content-Type: application/json).',
  );
}

export async function readForm(raw: IncomingMessage, response: ServerResponse): Promise<URLSearchParams> {
  if (typeOf(raw) !== 'application/x-www-form-urlencoded')
    throw new Problem('invalid', 'request.not_form', 'The form was not sent as a form.');
  return new URLSearchParams(decodeUtf8(await readAll(raw, response, 64 * 1024)));
}

export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('invalid', 'request.bad_encoding', 'The body is not valid UTF-8.');
  }
}

/** Refuses a body as soon as it is too long. */
export async function readAll(raw: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<Buffer> {
  const announced = Number(raw.headers['content-length'] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  // No event would report its end.
  if (raw.destroyed) throw new BodyAborted();
  sendContinue(raw, response);
  const chunks: Buffer[] = [];
  let size = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new BodyAborted('it took too long')), jsonTimeoutMs);
  timer.unref();
  raw.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) reject(tooLarge(maxBytes));
    else chunks.push(chunk);
  });
  raw.once('end', resolve);
  raw.once('error', () => reject(new BodyAborted()));
  raw.once('close', () => {
    if (!raw.readableEnded) reject(new BodyAborted());
  });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('too_large', 'request.too_large', `The body may have at most ${maxBytes} bytes.`);
}

const continued = new WeakSet<ServerResponse>();

/** Answers `Expect: 100-continue`. Call it after every check that needs no body. */
export function sendContinue(raw: IncomingMessage, response: ServerResponse): void {
  if (!expectsContinue(raw) || response.headersSent) return;
  continued.add(response);
  response.writeContinue();
}

/** After a refusal the client sends no body, so the connection cannot be reused. */
export function isHeldBack(raw: IncomingMessage, response: ServerResponse): boolean {
  return expectsContinue(raw) && !continued.has(response);
}

function expectsContinue(raw: IncomingMessage): boolean {
  return /100-continue/i.test(raw.headers.expect ?? '');
}

/** Larger senders use Expect, or see the connection cut. */
const drainBytes = 32 * 1024 * 1024;
const drainMs = 5000;

/**
 * Closing with unread bytes would reset the connection, and clients that write before they read would lose the answer.
 */
export function drain(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return;
  let left = drainBytes;
  const stop = () => raw.socket.destroySoon();
  const timer = setTimeout(stop, drainMs);
  timer.unref();
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) stop();
  });
  raw.once('close', () => clearTimeout(timer));
  raw.once('end', () => clearTimeout(timer));
  raw.resume();
}

const silenceMs = 120_000;
const rateWindowMs = 60_000;
const minBytesPerSecond = 1024;

/** Below 1 KiB/s over a minute, or two minutes of silence. */
export function watchPace(raw: IncomingMessage): () => void {
  let lastBytes = raw.socket.bytesRead;
  let lastChangeAt = Date.now();
  let windowBytes = lastBytes;
  let windowAt = lastChangeAt;
  const timer = setInterval(() => {
    const now = Date.now();
    const bytes = raw.socket.bytesRead;
    if (bytes !== lastBytes) [lastBytes, lastChangeAt] = [bytes, now];
    // A paused socket is our own back-pressure.
    if (raw.isPaused()) [windowBytes, windowAt, lastChangeAt] = [bytes, now, now];
    const isSilent = now - lastChangeAt > silenceMs;
    const isTrickling =
      now - windowAt > rateWindowMs && (bytes - windowBytes) / ((now - windowAt) / 1000) < minBytesPerSecond;
    if (isSilent || isTrickling) raw.destroy(new BodyAborted('it came too slowly'));
    if (now - windowAt > rateWindowMs) [windowBytes, windowAt] = [bytes, now];
  }, 5000);
  timer.unref();
  return () => clearInterval(timer);
}
