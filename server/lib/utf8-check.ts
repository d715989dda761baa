// Says of a stream of bytes whether it is UTF-8, piece by piece. A character cut by the end of a piece is carried over;
// nothing else is kept, nothing is repaired.
import { isUtf8 } from 'node:buffer';

export interface Utf8Check {
  /** Is everything up to here UTF-8, a cut character at the end of this piece left open? */
  accepts(piece: Buffer): boolean;
  /** Has every character begun been finished? */
  isComplete(): boolean;
}

export function createUtf8Check(): Utf8Check {
  let cut: Buffer = Buffer.alloc(0);
  return {
    accepts(piece) {
      const bytes = cut.length === 0 ? piece : Buffer.concat([cut, piece]);
      const wholeBytes = bytes.length - countCutBytes(bytes);
      // A copy, so that three bytes do not hold on to a whole piece.
      cut = Buffer.from(bytes.subarray(wholeBytes));
      return isUtf8(bytes.subarray(0, wholeBytes));
    },
    isComplete: () => cut.length === 0,
  };
}

/** How many bytes at the end begin a character that needs more bytes than there are. */
function countCutBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (isContinuation) continue;
    const neededBytes = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return neededBytes > back ? back : 0;
  }
  return 0;
}
