// One page of a list. Without words the database counts and cuts; with words the texts are opened one after the other,
// because they are sealed, up to a limit that the answer mentions (docs/adr/0029).
import { setImmediate as breathe } from 'node:timers/promises';
import { invalid, type Problem } from '../domain/problem.ts';
import { type CursorValue, readCursor } from '../lib/cursor.ts';
import { createWordMatcher } from '../lib/words.ts';

export interface PageWanted {
  q: string;
  /** From 1. */
  page: number;
  size: number;
}

export interface Listed<Item> extends Pick<PageWanted, 'page' | 'size'> {
  items: Item[];
  total: number;
  /** False: the search stopped at its limit, further entries may match. */
  isComplete: boolean;
}

/** The place where the page before ended, from its `next`; null for the first page. */
export function readPlace(after: string, kinds: readonly ('string' | 'number')[]): CursorValue[] | null {
  if (after === '') return null;
  const values = readCursor(after, kinds);
  if (values === null) throw badPlace();
  return values;
}

export function badPlace(): Problem {
  return invalid('list.bad_place', 'This page marker is not valid. Use “next” from the previous answer.', 'after');
}

export interface ListSource<Row> {
  count(): Promise<number>;
  rows(offset: number, limit: number): Promise<Row[]>;
  /** What words are looked for in. */
  texts(row: Row): string[];
}

/** Most entries one search opens. */
export const mostSearched = 5000;
const batchSize = 250;

export async function listPage<Row>(wanted: PageWanted, source: ListSource<Row>): Promise<Listed<Row>> {
  const { q, page, size } = wanted;
  const offset = (page - 1) * size;
  if (q.trim() === '') {
    const [items, total] = await Promise.all([source.rows(offset, size), source.count()]);
    return { items, total, page, size, isComplete: true };
  }
  const { found, isComplete } = await searchRows(q, source, mostSearched);
  return { items: found.slice(offset, offset + size), total: found.length, page, size, isComplete };
}

/** Every row among the first `most` that has these words. Others get their turn between the batches. */
export async function searchRows<Row>(
  q: string,
  source: Pick<ListSource<Row>, 'rows' | 'texts'>,
  most: number,
): Promise<{ found: Row[]; isComplete: boolean }> {
  const isMatch = createWordMatcher(q);
  const found: Row[] = [];
  for (let offset = 0; offset < most; offset += batchSize) {
    const rows = await source.rows(offset, batchSize);
    found.push(...rows.filter((row) => isMatch(source.texts(row))));
    if (rows.length < batchSize) return { found, isComplete: true };
    await breathe();
  }
  return { found, isComplete: false };
}
