// Builds a JSON value from bytes that come piece by piece; stops before the content of each string that is to be
// streamed and takes something else in its place. Refuses what `parseJson` refuses. No I/O, no recursion; holds the
// value so far and one unfinished token.
import { endsInsideEscape, findClosingQuote, notJson } from './string.ts';
import { createJsonTree, type JsonPath } from './tree.ts';

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

export function createJsonBuilder(options: JsonBuilderOptions): JsonBuilder {
  const tree = createJsonTree(options.maxDepth);
  const mark = createMarkSkipper();
  const token = createToken();
  let tokenKind: 'none' | 'string' | 'scalar' = 'none';
  /** Before the content of a string that is to be streamed. */
  let isStopped = false;
  let hasBegun = false;

  /** One byte outside of any token. The first one of a scalar is left to it. */
  function step(byte: number): number {
    if (isSpace(byte)) return 1;
    hasBegun = true;
    if (isScalarByte(byte)) {
      if (!tree.mayTakeValue()) throw notJson();
      tokenKind = 'scalar';
      return 0;
    }
    if (byte !== QUOTE) tree.takeMark(byte);
    else if (!tree.mayTakeKey() && !tree.mayTakeValue()) throw notJson();
    else if (tree.mayTakeValue() && options.isStreamed(tree.path)) isStopped = true;
    else tokenKind = 'string';
    return 1;
  }

  function readString(piece: Buffer, from: number): number {
    const end = findClosingQuote(piece, from, token.isAfterBackslash());
    token.add(piece, from, end);
    if (end === piece.length) return end;
    const text = parseToken(`"${token.take()}"`);
    tokenKind = 'none';
    if (tree.mayTakeKey()) tree.takeKey(String(text));
    else tree.takeValue(text);
    return end + 1;
  }

  function readScalar(piece: Buffer, from: number): number {
    let end = from;
    while (end < piece.length && isScalarByte(piece[end]!)) end += 1;
    token.add(piece, from, end);
    if (end < piece.length) finishScalar();
    return end;
  }

  function finishScalar(): void {
    tokenKind = 'none';
    tree.takeValue(parseToken(token.take()));
  }

  return {
    read(piece, from) {
      let at = mark.skip(piece, from);
      while (at < piece.length && !isStopped) {
        if (tokenKind === 'string') at = readString(piece, at);
        else if (tokenKind === 'scalar') at = readScalar(piece, at);
        else at += step(piece[at]!);
      }
      return at;
    },
    streamedPath: () => (isStopped ? [...tree.path] : null),
    replaceString(value) {
      isStopped = false;
      tree.takeValue(value);
    },
    finish() {
      if (!hasBegun) throw new RangeError('The body is empty where JSON was expected.');
      // Only a scalar can end with the input, and only outside of everything.
      if (tokenKind === 'scalar' && tree.isOutside()) finishScalar();
      return tree.finish();
    },
  };
}

/** Some Windows tools put a byte order mark in front. */
function createMarkSkipper(): { skip(piece: Buffer, from: number): number } {
  const expected = [0xef, 0xbb, 0xbf];
  let isPast = false;
  return {
    skip(piece, from) {
      let at = from;
      while (!isPast && at < piece.length) {
        if (piece[at] === expected[0]) {
          expected.shift();
          at += 1;
        } else if (expected.length === 3) isPast = true;
        else throw notJson();
        if (expected.length === 0) isPast = true;
      }
      return at;
    },
  };
}

interface Token {
  add(piece: Buffer, from: number, end: number): void;
  /** Does what was added end in a backslash that escapes what follows? */
  isAfterBackslash(): boolean;
  /** The text; then it is empty again. */
  take(): string;
}

/** Copies what it is given: slices would hold on to the pieces they are of, however small. */
function createToken(): Token {
  let kept = Buffer.allocUnsafe(256);
  let keptBytes = 0;
  let isEscaped = false;
  return {
    add(piece, from, end) {
      const neededBytes = keptBytes + end - from;
      if (neededBytes > kept.length) {
        const larger = Buffer.allocUnsafe(Math.max(kept.length * 2, neededBytes));
        kept.copy(larger, 0, 0, keptBytes);
        kept = larger;
      }
      keptBytes += piece.copy(kept, keptBytes, from, end);
      // Of this piece alone: to look back over all pieces each time would let a row of backslashes cost its square.
      isEscaped = endsInsideEscape(piece, isEscaped ? from + 1 : from, end);
    },
    isAfterBackslash: () => isEscaped,
    take() {
      const text = kept.toString('utf8', 0, keptBytes);
      keptBytes = 0;
      return text;
    },
  };
}

function parseToken(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError('The JSON holds a number that is too large.');
  return value;
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

const QUOTE = 0x22;
