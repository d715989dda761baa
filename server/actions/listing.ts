// Pages of lists. A search decrypts rows one by one, up to a limit (docs/adr/0029).
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { invalid, type Problem } from '../domain/problem.ts';
import { type CursorValue, readCursor } from '../lib/cursor.ts';
import { createWordMatcher } from '../lib/text-search.ts';

export interface PageQuery {
  q: string;
  /** From 1. */
  page: number;
  size: number;
}

export interface Listed<Item> extends Pick<PageQuery, 'page' | 'size'> {
  items: Item[];
  total: number;
  /** False: the search stopped at its limit. */
  isComplete: boolean;
}

/** The `next` of the previous page; null for the first page. */
export function readPageMarker(after: string, kinds: readonly ('string' | 'number')[]): CursorValue[] | null {
  if (after === '') return null;
  const values = readCursor(after, kinds);
  if (values === null) throw invalidPageMarker();
  return values;
}

export function invalidPageMarker(): Problem {
  return invalid('list.bad_place', 'This page marker is not valid. Use “next” from the previous answer.', 'after');
}

export interface ListSource<Row> {
  count(): Promise<number>;
  rows(offset: number, limit: number): Promise<Row[]>;
  /** What the search matches. */
  texts(row: Row): string[];
}

export const maxSearched = 5000;
const batchSize = 250;

export async function listPage<Row>(query: PageQuery, source: ListSource<Row>): Promise<Listed<Row>> {
  const { q, page, size } = query;
  const offset = (page - 1) * size;
  if (q.trim() === '') {
    const [items, total] = await Promise.all([source.rows(offset, size), source.count()]);
    return { items, total, page, size, isComplete: true };
  }
  const { found, isComplete } = await searchRows(q, source, maxSearched);
  return { items: found.slice(offset, offset + size), total: found.length, page, size, isComplete };
}

/** Searches the first `max` rows. */
export async function searchRows<Row>(
  q: string,
  source: Pick<ListSource<Row>, 'rows' | 'texts'>,
  max: number,
): Promise<{ found: Row[]; isComplete: boolean }> {
  const isMatch = createWordMatcher(q);
  const found: Row[] = [];
  for (let offset = 0; offset < max; offset += batchSize) {
    const rows = await source.rows(offset, batchSize);
    found.push(...rows.filter((row) => isMatch(source.texts(row))));
    if (rows.length < batchSize) return { found, isComplete: true };
    await yieldToEventLoop();
  }
  return { found, isComplete: false };
}
