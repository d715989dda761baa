// What every part of the benchmark is given, and the few ways of measuring they share.
import type { Load } from './load-client.ts';
import type { Series } from './series.ts';
import type { Row } from './table.ts';

export interface Sizes {
  /** One file on one connection. */
  fileBytes: number;
  /** Each of several files at once. */
  smallerFileBytes: number;
  rounds: number;
  /** One round of small requests. */
  requestsMs: number;
  memoryFileBytes: number;
  logRows: number;
  sealedEvents: number;
}

const mebibyte = 1024 * 1024;

export const fullSizes: Sizes = {
  fileBytes: 1024 * mebibyte,
  smallerFileBytes: 256 * mebibyte,
  rounds: 5,
  requestsMs: 4000,
  memoryFileBytes: 10 * 1024 * mebibyte,
  logRows: 1_000_000,
  sealedEvents: 1_000_000,
};

export const quickSizes: Sizes = {
  fileBytes: 64 * mebibyte,
  smallerFileBytes: 16 * mebibyte,
  rounds: 3,
  requestsMs: 1500,
  memoryFileBytes: 1024 * mebibyte,
  logRows: 1_000_000,
  sealedEvents: 100_000,
};

/** Files at once, where several are measured. */
export const filesAtOnce = 4;

export interface Bench {
  /** Everything lies below this folder, so that all servers use the same file system. */
  folder: string;
  sizes: Sizes;
  load: Load;
  /** Where our server leaves processor profiles; null for none. */
  profileFolder: string | null;
  /** A copy of PsiTransfer with its packages; null where the registry is to be asked. */
  psiTransferFolder: string | null;
  say(line: string): void;
  /** Keeps it for the plots. */
  addSeries(series: Series): void;
  /** Called at the end, latest first, whatever happens. */
  atEnd(step: () => Promise<void> | void): void;
}

export type Part = (bench: Bench) => Promise<Row[]>;

/** One server's turn in a round; returns what was measured. */
export type Turn = () => Promise<number>;

/** Everybody's turn, round after round, so that a slow minute of the machine strikes all alike. */
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
