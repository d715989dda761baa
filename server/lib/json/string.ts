// Unescapes one ASCII JSON string incrementally.
import { isAscii } from 'node:buffer';

export interface StringChunk {
  /** May be empty. */
  content: Buffer;
  /** Where the input continues: its end, or just past the closing quote. */
  next: number;
  isOver: boolean;
}

/** Begins just past the opening quote. Throws a RangeError for invalid JSON. */
export function createStringReader(): (chunk: Buffer) => StringChunk {
  let cutEscape = '';
  return (chunk) => {
    const end = findClosingQuote(chunk, 0, cutEscape === '\\');
    const isOver = end < chunk.length;
    const source = cutEscape + chunk.toString('latin1', 0, end);
    cutEscape = isOver ? '' : cutEscapeOf(source);
    const content = resolveEscapes(source.slice(0, source.length - cutEscape.length));
    return { content, next: isOver ? end + 1 : end, isOver };
  };
}

/** The first unescaped quote, else the length. */
export function findClosingQuote(chunk: Buffer, from: number, isAfterBackslash: boolean): number {
  const start = isAfterBackslash ? from + 1 : from;
  let quote = chunk.indexOf(QUOTE, start);
  while (quote !== -1 && isEscaped(chunk, start, quote)) quote = chunk.indexOf(QUOTE, quote + 1);
  return quote === -1 ? chunk.length : quote;
}

/** Looks no further back than `from`. */
export function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let backslashes = 0;
  while (at - backslashes > from && bytes[at - backslashes - 1] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** The same sentence as for JSON parsed whole. */
export function notJson(): RangeError {
  return new RangeError('The body is not valid JSON.');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A backslash, perhaps `u` and up to three digits. */
function cutEscapeOf(source: string): string {
  const tail = /\\(?:u[^\\]{0,3})?$/.exec(source.slice(-5))?.[0] ?? '';
  let backslashes = 1;
  while (source[source.length - tail.length - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1 ? tail : '';
}

/** JSON.parse knows every escape, and is fast enough. */
function resolveEscapes(source: string): Buffer {
  let text: string;
  try {
    text = JSON.parse(`"${source}"`);
  } catch {
    throw notJson();
  }
  const content = Buffer.from(text, 'latin1');
  const hasEscapes = text.length < source.length;
  if (!isAscii(content) || (hasEscapes && /[^\0-\x7f]/.test(text)))
    throw new RangeError('The content is not valid Base64.');
  return content;
}
