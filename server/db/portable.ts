// Writes a row as a line of text, alike for both databases, and a checksum over lines that does not depend on their
// order.
import { createHash } from 'node:crypto';
import type { SqlValue } from './engine/values.ts';

/** Bytes are an object with their Base64, which cannot be confused with a text. */
export function encodeLine(values: readonly SqlValue[]): string {
  return JSON.stringify(
    values.map((value) => (value instanceof Uint8Array ? { b: Buffer.from(value).toString('base64') } : value)),
  );
}

export function decodeLine(line: string): SqlValue[] {
  const values = JSON.parse(line) as (string | number | null | { b: string })[];
  return values.map((value) => (typeof value === 'object' && value !== null ? Buffer.from(value.b, 'base64') : value));
}

export interface Tally {
  rows: number;
  /** The sum of the hashes of all lines, in hexadecimal. */
  sum: string;
}

export interface Counting {
  add(line: string): void;
  result(): Tally;
}

const modulus = 2n ** 256n;

export function createCounting(): Counting {
  let rows = 0;
  let sum = 0n;
  return {
    add(line) {
      rows += 1;
      sum = (sum + BigInt(`0x${createHash('sha256').update(line).digest('hex')}`)) % modulus;
    },
    result: () => ({ rows, sum: sum.toString(16).padStart(64, '0') }),
  };
}
