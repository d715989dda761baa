// What the parts of the benchmark receive and share.
import type { Load } from './load-client.ts';
import type { Row } from './table.ts';

export interface Sizes {
  /** One file on one connection. */
  fileBytes: number;
  /** Each of several files sent in parallel. */
  smallerFileBytes: number;
  rounds: number;
  /** Duration of one round of small requests. */
  requestsMs: number;
  memoryFileBytes: number;
  logRows: number;
}

const mebibyte = 1024 * 1024;

export const fullSizes: Sizes = {
  fileBytes: 1024 * mebibyte,
  smallerFileBytes: 256 * mebibyte,
  rounds: 5,
  requestsMs: 4000,
  memoryFileBytes: 10 * 1024 * mebibyte,
  logRows: 1_000_000,
};

export const quickSizes: Sizes = {
  fileBytes: 64 * mebibyte,
  smallerFileBytes: 16 * mebibyte,
  rounds: 3,
  requestsMs: 1500,
  memoryFileBytes: 1024 * mebibyte,
  logRows: 1_000_000,
};

export const parallelFiles = 4;

export interface Bench {
  /** All servers store below this folder, so on the same file system. */
  folder: string;
  sizes: Sizes;
  load: Load;
  /** For processor profiles of our server; null for none. */
  profileFolder: string | null;
  say(line: string): void;
  /** Steps run at the end of the part, the latest first, also after a failure. */
  atEnd(step: () => Promise<void> | void): void;
}

export type Part = (bench: Bench) => Promise<Row[]>;

/** One server's turn in a round; returns the measured value. */
export type Turn = () => Promise<number>;

/** Runs all turns in each round, so that a slow minute of the machine affects all servers. */
export async function alternate(rounds: number, turns: Turn[]): Promise<number[][]> {
  const values: number[][] = turns.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, turn] of turns.entries()) values[index]!.push(await turn());
  }
  return values;
}

export function bytesPerSecond(bytes: number, elapsedMs: number): number {
  return (bytes * 1000) / elapsedMs;
}
