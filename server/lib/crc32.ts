// Combines CRC-32s of parts. Lengths may exceed 4 GiB.

/** Bit-reversed: the lowest bit is the highest power of x. */
const POLYNOMIAL = 0xedb88320;
/** The polynomials 1 and x^8. */
const ONE = 0x80000000;
const ONE_BYTE = 0x00800000;

/** The CRC-32 of A followed by B, where B has `lengthB` bytes. */
export function crc32Combine(crcA: number, crcB: number, lengthB: number): number {
  if (!Number.isSafeInteger(lengthB) || lengthB < 0) throw new RangeError('A length must be a whole number of bytes.');
  return (multiply(shiftBy(lengthB), crcA) ^ crcB) >>> 0;
}

export function crc32Hex(crc: number): string {
  return (crc >>> 0).toString(16).padStart(8, '0');
}

/** x^(8 × `bytes`), by squaring. Division keeps lengths above 32 bits exact. */
function shiftBy(bytes: number): number {
  let result = ONE;
  let square = ONE_BYTE;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = multiply(result, square);
    square = multiply(square, square);
  }
  return result;
}

/** Over GF(2), modulo the CRC polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product;
}
