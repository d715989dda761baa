// Splits JSON text as it arrives: retains all but chosen strings and reports their positions. `parseJson` validates the
// result.
import { findClosingQuote, isEscaped, notJson } from './string.ts';

/** For example `['message', 'attachments', 0, 'data']`. */
export type JsonPath = readonly (string | number)[];

export interface JsonScanner {
  /**
   * Returns how far it read: to the end of the chunk, or just past the opening quote of a chosen string, which
   * `replace` must then replace.
   */
  read(chunk: Buffer): number;
  /** Null if `read` did not stop at a string. */
  stoppedAt(): JsonPath | null;
  /** Inserts this text in place of the string. It must need no escapes. */
  replace(text: string): void;
  kept(): Buffer;
}

export function createJsonScanner(isChosen: (path: JsonPath) => boolean, maxDepth: number): JsonScanner {
  const kept: Buffer[] = [];
  const place = createPlace(maxDepth);
  let key = '';
  let isInString = false;
  let isAfterBackslash = false;
  let isStopped = false;

  function openString(): void {
    isStopped = !place.isKeyNext() && isChosen(place.path);
    isInString = !isStopped;
  }

  /** Returns where it stopped: behind the closing quote, or at the end of the chunk. */
  function readString(chunk: Buffer, from: number): number {
    const end = findClosingQuote(chunk, from, isAfterBackslash);
    isInString = end === chunk.length;
    isAfterBackslash = isInString && isEscaped(chunk, isAfterBackslash ? from + 1 : from, end);
    if (place.isKeyNext()) key += chunk.toString('latin1', from, end);
    if (isInString) return end;
    if (place.isKeyNext()) place.takeKey(parseKey(key));
    key = '';
    return end + 1;
  }

  return {
    read(chunk) {
      let at = 0;
      while (at < chunk.length && !isStopped) {
        if (isInString) at = readString(chunk, at);
        else {
          const byte = chunk[at++]!;
          if (byte === QUOTE) openString();
          else place.takeByte(byte);
        }
      }
      // A copy: a slice would retain the whole chunk.
      kept.push(Buffer.from(chunk.subarray(0, at)));
      return at;
    },
    stoppedAt: () => (isStopped ? [...place.path] : null),
    replace(text) {
      isStopped = false;
      kept.push(Buffer.from(`${text}"`));
    },
    kept: () => Buffer.concat(kept),
  };
}

const QUOTE = 0x22;

/** Tracks the path of the next byte. */
function createPlace(maxDepth: number) {
  const path: (string | number)[] = [];
  let isKeyNext = false;
  let position = 0;

  function open(first: '' | 0): void {
    if (path.length >= maxDepth) throw new RangeError(`The JSON is nested more than ${maxDepth} levels deep.`);
    path.push(first);
    isKeyNext = first === '';
  }

  return {
    path: path as JsonPath,
    isKeyNext: () => isKeyNext,
    takeKey(key: string): void {
      path[path.length - 1] = key;
    },
    takeByte(byte: number): void {
      const mark = String.fromCharCode(byte);
      const last = path.at(-1);
      position += 1;
      if (mark === '{') open('');
      else if (mark === '[') open(0);
      else if (mark === '}' || mark === ']') {
        if (path.pop() === undefined) throw notJson();
        isKeyNext = false;
      } else if (mark === ':') isKeyNext = false;
      else if (mark === ',' && typeof last === 'number') path[path.length - 1] = last + 1;
      else if (mark === ',') isKeyNext = true;
      // A byte order mark has three bytes; other text outside of strings is ASCII.
      else if (!/[\w\s+.-]/.test(mark) && position > 3) throw notJson();
    },
  };
}

function parseKey(source: string): string {
  try {
    return JSON.parse(`"${Buffer.from(source, 'latin1')}"`);
  } catch {
    throw notJson();
  }
}
