// Base64 to bytes as a stream, in constant memory. Buffer drops what it does not know and takes the URL alphabet for the
// standard one; here anything but standard Base64 is refused with a RangeError, never repaired.
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';

/**
 * The bytes that the Base64 in `content` stands for. Line breaks and spaces between the characters are skipped, padding
 * may be left out at the end. An error on either side ends the other side too.
 */
export function decodeBase64(content: Readable): Readable {
  return pipeline(content, new Base64Decoder(), () => {
    // The error is the answer's: whoever reads it gets it.
  });
}

class Base64Decoder extends Transform {
  /** Up to three characters of a group of four that is not complete. */
  #open: Buffer = Buffer.alloc(0);
  #paddingLength = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      const bytes = this.#decode(chunk);
      done(null, bytes.length === 0 ? undefined : bytes);
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    const group = this.#open.toString('latin1');
    const bytes = Buffer.from(group, 'base64');
    // Fails for a single character, and for bits that belong to no byte.
    const isWhole = bytes.toString('base64').replace(/=+$/, '') === group;
    const isPadded = this.#paddingLength === 0 || this.#paddingLength + group.length === 4;
    if (isWhole && isPadded) done(null, bytes.length === 0 ? undefined : bytes);
    else done(notBase64());
  }

  #decode(chunk: Buffer): Buffer {
    if (this.#paddingLength === 0) {
      const bytes = this.#decodePlain(chunk);
      if (bytes !== null) return bytes;
    }
    const { characters, paddingLength } = splitPadding(chunk);
    if (this.#paddingLength > 0 && characters.length > 0) throw notBase64();
    this.#paddingLength += paddingLength;
    if (this.#paddingLength > 2) throw notBase64();
    const bytes = this.#decodePlain(characters);
    if (bytes === null) throw notBase64();
    return bytes;
  }

  /** Null, and nothing has happened, when there is anything but characters of the alphabet. */
  #decodePlain(chunk: Buffer): Buffer | null {
    const characters = this.#open.length === 0 ? chunk : Buffer.concat([this.#open, chunk]);
    const openLength = characters.length % 4;
    const groups = characters.subarray(0, characters.length - openLength);
    const open = characters.subarray(characters.length - openLength);
    if (!open.every(isInAlphabet) || groups.includes('-') || groups.includes('_')) return null;
    const bytes = Buffer.allocUnsafe((groups.length / 4) * 3);
    // Each character that is dropped makes the result shorter.
    if (bytes.write(groups.toString('latin1'), 'base64') !== bytes.length) return null;
    this.#open = Buffer.from(open);
    return bytes;
  }
}

/** Leaves out line breaks and spaces and counts the padding. Throws when a character follows padding. */
function splitPadding(chunk: Buffer): { characters: Buffer; paddingLength: number } {
  const characters = Buffer.allocUnsafe(chunk.length);
  let length = 0;
  let paddingLength = 0;
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at]!;
    if (byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === SPACE) continue;
    if (byte === EQUALS) paddingLength += 1;
    else if (paddingLength > 0) throw notBase64();
    else characters[length++] = byte;
  }
  return { characters: characters.subarray(0, length), paddingLength };
}

function isInAlphabet(byte: number): boolean {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isDigit || isLetter || byte === PLUS || byte === SLASH;
}

function notBase64(): RangeError {
  return new RangeError('The content is not valid Base64.');
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const PLUS = 0x2b;
const SLASH = 0x2f;
const EQUALS = 0x3d;
