// The content of one JSON string of any length, piece by piece: escapes resolved, as UTF-8. Long runs without escapes
// are passed on as slices of the input, without a copy. Takes the input to be UTF-8; holds at most one unfinished escape.

export interface StringPiece {
  /** What this piece of input adds to the content; may be empty. */
  bytes: Buffer;
  /** Where the input goes on: its end, or just past the closing quote. */
  next: number;
  isOver: boolean;
}

export interface StringReader {
  /** Throws a RangeError where JSON does not permit what stands there. */
  read(piece: Buffer, from: number): StringPiece;
}

/** Begins just past the opening quote. */
export function createStringReader(): StringReader {
  const unescaper = createUnescaper();
  return {
    read(piece, from) {
      const quote = piece.indexOf(QUOTE, from);
      const stop = quote === -1 ? piece.length : quote;
      const run = piece.subarray(from, stop);
      if (unescaper.isIdle() && !run.includes(BACKSLASH)) {
        if (hasControlCharacter(run)) throw notJson();
        return { bytes: run, next: quote === -1 ? stop : stop + 1, isOver: quote !== -1 };
      }
      const end = findClosingQuote(piece, from, unescaper.isAfterBackslash());
      const raw = piece.subarray(from, end);
      const isOver = end < piece.length;
      const bytes = (unescaper.isIdle() ? unescapeAscii(raw) : null) ?? unescaper.read(raw, isOver);
      return { bytes, next: isOver ? end + 1 : end, isOver };
    },
  };
}

/** The index of the first quote that is not escaped; the length when there is none. */
export function findClosingQuote(piece: Buffer, from: number, isAfterBackslash: boolean): number {
  const start = isAfterBackslash ? from + 1 : from;
  let quote = piece.indexOf(QUOTE, start);
  while (quote !== -1 && endsInsideEscape(piece, start, quote)) quote = piece.indexOf(QUOTE, quote + 1);
  return quote === -1 ? piece.length : quote;
}

/** Is the last byte before `end` a backslash that escapes what follows? */
export function endsInsideEscape(bytes: Buffer, from: number, end: number): boolean {
  let backslashes = 0;
  while (end - backslashes > from && bytes[end - backslashes - 1] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** One sentence for every breach of the grammar, the one that JSON read whole is refused with. */
export function notJson(): RangeError {
  return new RangeError('The body is not valid JSON.');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const REPLACEMENT = 0xfffd;

/** What the letter behind a backslash stands for. */
const shortEscapes = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meant]) => [letter.charCodeAt(0), meant.charCodeAt(0)],
  ),
);

/** Four bytes at a time: byte by byte takes a fifth of the speed, and this looks at every byte of every file. */
function hasControlCharacter(bytes: Buffer): boolean {
  const leadBytes = Math.min(bytes.length, -bytes.byteOffset & 3);
  const tailAt = bytes.length - ((bytes.length - leadBytes) & 3);
  for (let at = 0; at < leadBytes; at += 1) if (bytes[at]! < 0x20) return true;
  for (let at = tailAt; at < bytes.length; at += 1) if (bytes[at]! < 0x20) return true;
  if (tailAt === leadBytes) return false;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + leadBytes, (tailAt - leadBytes) / 4);
  // Subtracting 0x20 borrows from the top bit of a byte below 0x20; `& ~word` leaves out bytes whose top bit was set.
  let borrowed = 0;
  for (let at = 0; at < words.length; at += 1) borrowed |= (words[at]! - 0x20202020) & ~words[at]!;
  return (borrowed & 0x80808080) !== 0;
}

/**
 * Null when it cannot be done this way. Where every escape stands for an ASCII character, JSON.parse can work on the
 * bytes as Latin-1, at native speed: wrapped lines, `\/` and `\u002B` are what encoders make of Base64.
 */
function unescapeAscii(raw: Buffer): Buffer | null {
  const text = raw.toString('latin1');
  if (/\\u(?!00[0-7][0-9A-Fa-f])/.test(text) || endsInsideEscape(raw, 0, raw.length)) return null;
  try {
    return Buffer.from(JSON.parse(`"${text}"`), 'latin1');
  } catch {
    throw notJson();
  }
}

interface Unescaper {
  /** Nothing of an earlier piece is waiting. */
  isIdle(): boolean;
  isAfterBackslash(): boolean;
  /** `raw` has no closing quote in it; `isLast` says that one follows. */
  read(raw: Buffer, isLast: boolean): Buffer;
}

function createUnescaper(): Unescaper {
  /** Bytes of the escape read so far: 0 outside, 1 behind the backslash, 2 to 5 within \uXXXX. */
  let escapeBytes = 0;
  let hexValue = 0;
  /** The first half of a surrogate pair that waits for its second. */
  let highSurrogate = 0;
  let out: Buffer = Buffer.alloc(0);
  let outBytes = 0;

  function put(codePoint: number): void {
    if (codePoint < 0x80) out[outBytes++] = codePoint;
    else outBytes += out.write(String.fromCodePoint(codePoint), outBytes);
  }

  /** A half without its other half has no UTF-8: it becomes the replacement character, as in any encoder. */
  function putHalf(): void {
    if (highSurrogate !== 0) put(REPLACEMENT);
    highSurrogate = 0;
  }

  function putUnit(unit: number): void {
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow && highSurrogate !== 0) {
      put(0x10000 + ((highSurrogate - 0xd800) << 10) + (unit - 0xdc00));
      highSurrogate = 0;
      return;
    }
    putHalf();
    if (unit >= 0xd800 && unit <= 0xdbff) highSurrogate = unit;
    else put(isLow ? REPLACEMENT : unit);
  }

  function takeEscapeByte(byte: number): void {
    if (escapeBytes === 1 && byte !== LETTER_U) {
      const unit = shortEscapes.get(byte);
      if (unit === undefined) throw notJson();
      escapeBytes = 0;
      putUnit(unit);
      return;
    }
    if (escapeBytes === 1) hexValue = 0;
    else hexValue = hexValue * 16 + parseHexDigit(byte);
    escapeBytes += 1;
    if (escapeBytes < 6) return;
    escapeBytes = 0;
    putUnit(hexValue);
  }

  return {
    isIdle: () => escapeBytes === 0 && highSurrogate === 0,
    isAfterBackslash: () => escapeBytes === 1,
    read(raw, isLast) {
      // Content is never longer than its escapes, save for what an earlier piece left open: two characters at most.
      out = Buffer.allocUnsafe(raw.length + 8);
      outBytes = 0;
      for (let at = 0; at < raw.length; at += 1) {
        const byte = raw[at]!;
        if (escapeBytes > 0) takeEscapeByte(byte);
        else if (byte === BACKSLASH) escapeBytes = 1;
        else if (byte < 0x20) throw notJson();
        else {
          putHalf();
          out[outBytes++] = byte;
        }
      }
      if (isLast && escapeBytes > 0) throw notJson();
      if (isLast) putHalf();
      return out.subarray(0, outBytes);
    },
  };
}

function parseHexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lowerCase = byte | 0x20;
  if (lowerCase >= 0x61 && lowerCase <= 0x66) return lowerCase - 0x57;
  throw notJson();
}
