// Pass `list.query` to the call.
import { useMemo } from 'react';
import { type SearchParams, useSearchParams } from './search-params.ts';

export interface List {
  page: number;
  sizeRows: number;
  /** `sent` or `-sent`. */
  sort: string;
  filters: Record<string, string>;
  isFiltered: boolean;
  /** Typed to fit every list of the contract; the server validates it. */
  query: Record<string, never>;
  pageCount(total: number): number;
  goTo(page: number): void;
  /** Only lists with cursors have steps. */
  steps?: Steps;
  /** A second call reverses the direction. */
  sortBy(field: string): void;
  /** Returns to the first page; undefined or '' removes a filter. */
  filter(params: SearchParams): void;
  clear(): void;
}

export interface Steps {
  isFirst: boolean;
  next(cursor: string): void;
  back(): void;
}

export interface ListOptions {
  /** Names of the filters, such as `['q', 'state', 'person']`. */
  filters: readonly string[];
  sort: string;
  sizeRows?: number;
}

export function useList({ filters: names, sort: firstSort, sizeRows = 25 }: ListOptions): List {
  const { params, change } = useSearchParams();
  const namesText = names.join(' ');
  return useMemo(() => {
    const known = namesText.split(' ');
    const filters = Object.fromEntries(
      known.flatMap((name) => (params[name] === undefined || params[name] === '' ? [] : [[name, params[name]]])),
    );
    const page = Math.max(1, Math.floor(Number(params.page ?? 1)) || 1);
    const sort = params.sort ?? firstSort;
    return {
      page,
      sizeRows,
      sort,
      filters,
      isFiltered: Object.keys(filters).length > 0,
      query: { ...filters, sort, page: String(page), size: String(sizeRows) } as unknown as Record<string, never>,
      pageCount: (total) => Math.max(1, Math.ceil(total / sizeRows)),
      goTo: (next) => change({ page: next <= 1 ? undefined : String(next) }, { isNewEntry: true }),
      sortBy: (field) => change({ sort: sort === field ? `-${field}` : field, page: undefined }),
      filter: (next) => change({ ...next, page: undefined }),
      clear: () => change({ ...Object.fromEntries(known.map((name) => [name, undefined])), page: undefined }),
    };
  }, [params, change, namesText, firstSort, sizeRows]);
}
