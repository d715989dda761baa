// Filters, pages and versions of SCIM requests.
import { badScim, ScimFault } from '../../lib/scim/fault.ts';
import { type Filter, matches, parseFilter } from '../../lib/scim/filter.ts';
import type { Complex } from '../../lib/scim/paths.ts';
import type { ScimCall } from './calls.ts';
import { etagOf, listSchema, maxPage, selected } from './resources.ts';

export function filterOf(query: URLSearchParams): Filter | null {
  const text = query.get('filter');
  return text === null || text.trim() === '' ? null : parseFilter(text);
}

function numberOf(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  if (!/^-?\d{1,9}$/.test(text)) throw badScim('invalidValue', `${name} must be a number.`);
  return Number(text);
}

/** Reads all pages, keeps those of the requested part only. */
export async function listBody<Row>(
  query: URLSearchParams,
  filter: Filter | null,
  pages: AsyncIterable<Row[]>,
  describe: (rows: Row[]) => Promise<Complex[]>,
): Promise<Complex> {
  const startIndex = Math.max(1, numberOf(query, 'startIndex', 1));
  const count = Math.min(maxPage, Math.max(0, numberOf(query, 'count', maxPage)));
  const found: Complex[] = [];
  let total = 0;
  for await (const page of pages) {
    const isWanted = total < startIndex - 1 + count && total + page.length >= startIndex;
    // Without a filter only the requested part is described.
    if (filter === null && !isWanted) {
      total += page.length;
      continue;
    }
    for (const body of await describe(page)) {
      if (filter !== null && !matches(filter, body)) continue;
      total += 1;
      if (total >= startIndex && found.length < count) found.push(body);
    }
  }
  return {
    schemas: [listSchema],
    totalResults: total,
    startIndex,
    itemsPerPage: found.length,
    Resources: found.map((body) => selected(body, query)),
  };
}

/** Refuses a change of a version that the client has not seen. */
export function preconditionOf({ headers }: Pick<ScimCall, 'headers'>): (version: number) => void {
  const wanted = headers['if-match'];
  return (version) => {
    if (wanted === undefined || wanted.trim() === '*') return;
    const tags = wanted.split(',').map((tag) => tag.trim());
    if (!tags.includes(etagOf({ version }))) throw new ScimFault(412, 'The resource has changed. Read it again.');
  };
}

export function isUnchanged({ headers }: Pick<ScimCall, 'headers'>, etag: string): boolean {
  return (headers['if-none-match'] ?? '').split(',').some((tag) => tag.trim() === etag);
}
