// CRC-32 of a whole from the CRC-32s of its parts, without reading the bytes again, and its form on the wire.
// Plain 32-bit arithmetic; lengths may exceed 4 GiB.

/** The CRC-32 polynomial with the bits reversed: the lowest bit of a number is its highest power of x. */
const POLYNOMIAL = 0xedb88320;
/** The polynomial 1, and x to the 8th: shifting by one byte. */
const ONE = 0x80000000;
const ONE_BYTE = 0x00800000;

/** The CRC-32 of A followed by B, where B has `lengthB` bytes. */
export function crc32Combine(crcA: number, crcB: number, lengthB: number): number {
  if (!Number.isSafeInteger(lengthB) || lengthB < 0) throw new RangeError('A length must be a whole number of bytes.');
  return (multiply(shiftBy(lengthB), crcA) ^ crcB) >>> 0;
}

/** Eight hexadecimal digits in lower case. */
export function crc32Hex(crc: number): string {
  return (crc >>> 0).toString(16).padStart(8, '0');
}

/** x to the power of 8 × `bytes`, by squaring. Division instead of shifts keeps lengths above 32 bits whole. */
function shiftBy(bytes: number): number {
  let result = ONE;
  let square = ONE_BYTE;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = multiply(result, square);
    square = multiply(square, square);
  }
  return result;
}

/** The product of two polynomials over GF(2), modulo the CRC polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product;
}
