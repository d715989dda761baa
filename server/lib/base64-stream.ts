// Decodes Base64 as a stream; unlike Buffer it refuses anything but standard Base64.
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';

/** Skips white space; padding is optional. An error on either side ends the other. */
export function decodeBase64(content: Readable): Readable {
  return pipeline(content, new Base64Decoder(), () => {
    // The reader of the result receives the error.
  });
}

class Base64Decoder extends Transform {
  #open = '';
  #paddingLength = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.#decode(chunk);
    if (bytes === null) done(notBase64());
    else done(null, bytes.length === 0 ? undefined : bytes);
  }

  override _flush(done: TransformCallback): void {
    const bytes = Buffer.from(this.#open, 'base64');
    // Fails for a single character, and for unused bits that are set.
    const isWhole = bytes.toString('base64').replace(/=+$/, '') === this.#open;
    const isPadded = this.#paddingLength === 0 || this.#paddingLength + this.#open.length === 4;
    if (isWhole && isPadded) done(null, bytes.length === 0 ? undefined : bytes);
    else done(notBase64());
  }

  #decode(chunk: Buffer): Buffer | null {
    let text = chunk.toString('latin1');
    if (hasSpace(chunk)) text = text.replace(/[\r\n ]+/g, '');
    const isPadding = this.#paddingLength > 0 || text.endsWith('=');
    if (!isPadding) return this.#decodeCharacters(text);
    const characters = text.replace(/={1,2}$/, '');
    if (this.#paddingLength > 0 && characters !== '') return null;
    this.#paddingLength += text.length - characters.length;
    return this.#paddingLength > 2 ? null : this.#decodeCharacters(characters);
  }

  #decodeCharacters(text: string): Buffer | null {
    const characters = this.#open + text;
    const groupsLength = characters.length - (characters.length % 4);
    const groups = characters.slice(0, groupsLength);
    this.#open = characters.slice(groupsLength);
    if (!/^[A-Za-z0-9+/]*$/.test(this.#open) || groups.includes('-') || groups.includes('_')) return null;
    const bytes = Buffer.allocUnsafe((groupsLength / 4) * 3);
    // Buffer drops unknown characters, which shortens the result.
    return bytes.write(groups, 'base64') === bytes.length ? bytes : null;
  }
}

function hasSpace(chunk: Buffer): boolean {
  return chunk.includes('\n') || chunk.includes('\r') || chunk.includes(' ');
}

function notBase64(): RangeError {
  return new RangeError('The content is not valid Base64.');
}
