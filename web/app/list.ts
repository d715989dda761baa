// The state of a list, read from the address and written back to it: page, sort, filters. `list.query` goes to the call as
// it is: every list of the API takes `page`, `size`, `sort` and its filters under the same names.
import { useMemo } from 'react';
import { type AddressWords, useAddress } from './address.ts';

export interface List {
  page: number;
  sizeRows: number;
  /** `sent` or `-sent`. */
  sort: string;
  /** Only those that are set. */
  filters: Record<string, string>;
  isFiltered: boolean;
  /** As words; typed so that every list of the contract takes it. The server says what is wrong with a word. */
  query: Record<string, never>;
  pageCount(total: number): number;
  goTo(page: number): void;
  /** Instead of pages, for lists that only go on from where they are (cursor-list.ts). */
  steps?: Steps;
  /** Pressed again, the direction turns. */
  sortBy(word: string): void;
  /** Back to the first page; undefined or '' takes the filter away. */
  filter(words: AddressWords): void;
  clear(): void;
}

export interface Steps {
  isFirst: boolean;
  next(place: string): void;
  back(): void;
}

export interface ListOptions {
  /** Names of the filters, such as `['q', 'state', 'person']`. */
  filters: readonly string[];
  sort: string;
  sizeRows?: number;
}

export function useList({ filters: names, sort: firstSort, sizeRows = 25 }: ListOptions): List {
  const { words, change } = useAddress();
  const namesText = names.join(' ');
  return useMemo(() => {
    const known = namesText.split(' ');
    const filters = Object.fromEntries(
      known.flatMap((name) => (words[name] === undefined || words[name] === '' ? [] : [[name, words[name]]])),
    );
    const page = Math.max(1, Math.floor(Number(words.page ?? 1)) || 1);
    const sort = words.sort ?? firstSort;
    return {
      page,
      sizeRows,
      sort,
      filters,
      isFiltered: Object.keys(filters).length > 0,
      query: { ...filters, sort, page: String(page), size: String(sizeRows) } as unknown as Record<string, never>,
      pageCount: (total) => Math.max(1, Math.ceil(total / sizeRows)),
      goTo: (next) => change({ page: next <= 1 ? undefined : String(next) }, { isNewEntry: true }),
      sortBy: (word) => change({ sort: sort === word ? `-${word}` : word, page: undefined }),
      filter: (next) => change({ ...next, page: undefined }),
      clear: () => change({ ...Object.fromEntries(known.map((name) => [name, undefined])), page: undefined }),
    };
  }, [words, change, namesText, firstSort, sizeRows]);
}
