// Builds a JSON value from bytes that come piece by piece; stops before the content of each string that is to be
// streamed and takes something else in its place. Refuses what `parseJson` refuses. No I/O, no recursion; holds the
// value so far and one unfinished token.
import { endsInsideEscape, findClosingQuote, notJson } from './json-string.ts';

export type JsonPath = readonly (string | number)[];

export interface JsonBuilder {
  /**
   * Reads on and says how far it came: to the end of the piece, or just past the opening quote of a string to be
   * streamed; then `replaceString` must be called before reading on behind the closing quote.
   */
  read(piece: Buffer, from: number): number;
  /** The path of the string that `read` has stopped at, null when it has not. */
  streamedPath(): JsonPath | null;
  replaceString(value: unknown): void;
  /** The whole value, once the input has ended. */
  finish(): unknown;
}

export interface JsonBuilderOptions {
  maxDepth: number;
  isStreamed(path: JsonPath): boolean;
}

/** What may come next. `firstKey` and `firstValue` stand behind an opening bracket, where it may close at once. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'comma' | 'nothing';
type Container = unknown[] | Record<string, unknown>;

export function createJsonBuilder(options: JsonBuilderOptions): JsonBuilder {
  const containers: Container[] = [];
  /** Beside each container, where in it the next value goes. */
  const path: (string | number)[] = [];
  const token = createToken();
  let tokenKind: 'none' | 'string' | 'scalar' = 'none';
  let expected: Expected = 'value';
  /** Within a string that is kept: the last byte read escapes the next one. */
  let isAfterBackslash = false;
  /** Before the content of a string that is to be streamed. */
  let isStopped = false;
  let hasBegun = false;
  /** How much of a byte order mark has been seen; all of it when it can no longer come. */
  let markBytes = 0;
  let root: unknown;

  function store(value: unknown): void {
    const container = containers.at(-1);
    if (container === undefined) {
      root = value;
      expected = 'nothing';
      return;
    }
    if (Array.isArray(container)) path[path.length - 1] = container.push(value);
    else container[path.at(-1)!] = value;
    expected = 'comma';
  }

  function open(container: Container): void {
    if (containers.length >= options.maxDepth)
      throw new RangeError(`The JSON is nested more than ${options.maxDepth} levels deep.`);
    containers.push(container);
    path.push(Array.isArray(container) ? 0 : '');
    expected = Array.isArray(container) ? 'firstValue' : 'firstKey';
  }

  function close(bracket: number): void {
    const container = containers.pop();
    if (container === undefined || Array.isArray(container) !== (bracket === CLOSE_BRACKET)) throw notJson();
    path.pop();
    store(container);
  }

  function takeKey(key: string): void {
    // Refused also where a later key of the same name would have hidden it from a parser that reads everything first.
    if (key === '__proto__') throw new RangeError('The JSON holds a key that is not permitted.');
    path[path.length - 1] = key;
    expected = 'colon';
  }

  function mayBeValue(): boolean {
    return expected === 'value' || expected === 'firstValue';
  }

  function beginString(): void {
    const isKey = expected === 'key' || expected === 'firstKey';
    if (!isKey && !mayBeValue()) throw notJson();
    isStopped = !isKey && options.isStreamed(path);
    if (!isStopped) tokenKind = 'string';
  }

  function beginScalar(): void {
    if (!mayBeValue()) throw notJson();
    hasBegun = true;
    tokenKind = 'scalar';
  }

  function finishString(): void {
    const text = parseToken(`"${token.take()}"`);
    tokenKind = 'none';
    if (expected === 'key' || expected === 'firstKey') takeKey(String(text));
    else store(text);
  }

  function finishScalar(): void {
    const value = parseToken(token.take());
    tokenKind = 'none';
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new RangeError('The JSON holds a number that is too large.');
    store(value);
  }

  /** One byte outside of any token. */
  function step(piece: Buffer, at: number): number {
    const byte = piece[at]!;
    if (isSpace(byte)) return at + 1;
    hasBegun = true;
    if (byte === QUOTE) beginString();
    else if (byte === CLOSE_BRACKET && (expected === 'firstValue' || expected === 'comma')) close(byte);
    else if (byte === CLOSE_BRACE && (expected === 'firstKey' || expected === 'comma')) close(byte);
    else if (byte === COMMA && expected === 'comma') expected = Array.isArray(containers.at(-1)) ? 'value' : 'key';
    else if (byte === COLON && expected === 'colon') expected = 'value';
    else if (byte === OPEN_BRACKET && mayBeValue()) open([]);
    else if (byte === OPEN_BRACE && mayBeValue()) open({});
    else throw notJson();
    return at + 1;
  }

  function readString(piece: Buffer, from: number): number {
    const end = findClosingQuote(piece, from, isAfterBackslash);
    token.add(piece, from, end);
    // Of this piece alone: to look back over all pieces each time would let a row of backslashes cost its square.
    isAfterBackslash = endsInsideEscape(piece, isAfterBackslash ? from + 1 : from, end);
    if (end === piece.length) return end;
    finishString();
    return end + 1;
  }

  function readScalar(piece: Buffer, from: number): number {
    let end = from;
    while (end < piece.length && isScalarByte(piece[end]!)) end += 1;
    token.add(piece, from, end);
    if (end < piece.length) finishScalar();
    return end;
  }

  /** Some Windows tools put a byte order mark in front. */
  function skipMark(piece: Buffer, from: number): number {
    let at = from;
    while (markBytes < byteOrderMark.length && at < piece.length) {
      if (piece[at] === byteOrderMark[markBytes]) at += 1;
      else if (markBytes === 0) markBytes = byteOrderMark.length;
      else throw notJson();
      markBytes += 1;
    }
    return at;
  }

  return {
    read(piece, from) {
      let at = skipMark(piece, from);
      while (at < piece.length && !isStopped) {
        if (tokenKind === 'string') at = readString(piece, at);
        else if (tokenKind === 'scalar') at = readScalar(piece, at);
        else if (isScalarByte(piece[at]!)) beginScalar();
        else at = step(piece, at);
      }
      return at;
    },
    streamedPath: () => (isStopped ? [...path] : null),
    replaceString(value) {
      isStopped = false;
      store(value);
    },
    finish() {
      if (!hasBegun) throw new RangeError('The body is empty where JSON was expected.');
      // Only a number can end with the input, and only outside of everything.
      if (tokenKind === 'scalar' && containers.length === 0) finishScalar();
      if (expected !== 'nothing') throw new RangeError('The body ends before its JSON does.');
      return root;
    },
  };
}

interface Token {
  add(piece: Buffer, from: number, end: number): void;
  /** The text; then it is empty again. */
  take(): string;
}

/** Copies what it is given: slices would hold on to the pieces they are of, however small. */
function createToken(): Token {
  let kept = Buffer.allocUnsafe(256);
  let keptBytes = 0;
  return {
    add(piece, from, end) {
      const neededBytes = keptBytes + end - from;
      if (neededBytes > kept.length) {
        const larger = Buffer.allocUnsafe(Math.max(kept.length * 2, neededBytes));
        kept.copy(larger, 0, 0, keptBytes);
        kept = larger;
      }
      keptBytes += piece.copy(kept, keptBytes, from, end);
    },
    take() {
      const text = kept.toString('utf8', 0, keptBytes);
      keptBytes = 0;
      return text;
    },
  };
}

function parseToken(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The bytes of numbers, `true`, `false` and `null`; JSON.parse says whether they make sense together. */
function isScalarByte(byte: number): boolean {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isDigit || isLetter || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

const byteOrderMark = [0xef, 0xbb, 0xbf];
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
