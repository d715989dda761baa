// How lists of the web app read their query and write their answer.
import type { Listed, PageWanted } from '../../../actions/listing.ts';

const usualSize = 25;

export function pageWanted(query: {
  q?: string | undefined;
  page?: number | undefined;
  size?: number | undefined;
}): PageWanted {
  return { q: query.q ?? '', page: query.page ?? 1, size: query.size ?? usualSize };
}

type Bare<Sort extends string> = Sort extends `-${infer Column}` ? Column : Sort;

/** `-created_at` is by `created_at`, descending. */
export function orderOf<Sort extends string>(sort: Sort): { by: Bare<Sort>; direction: 'asc' | 'desc' } {
  const isDescending = sort.startsWith('-');
  return { by: (isDescending ? sort.slice(1) : sort) as Bare<Sort>, direction: isDescending ? 'desc' : 'asc' };
}

export function listBody<Item, Body>(listed: Listed<Item>, write: (item: Item) => Body) {
  return {
    items: listed.items.map(write),
    total: listed.total,
    page: listed.page,
    size: listed.size,
    is_complete: listed.isComplete,
  };
}
