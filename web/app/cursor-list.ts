// Cursors instead of page numbers (`?after=…`), for lists too long to count.
import { useMemo } from 'react';
import { type List, type ListOptions, useList } from './list.ts';
import { useSearchParams } from './search-params.ts';

/** The previous page of each cursor; empty after a reload. */
const cameFrom = new Map<string, string | undefined>();

export function useCursorList({ sizeRows = 50, ...options }: ListOptions): List {
  const list = useList({ ...options, sizeRows });
  const { params, change } = useSearchParams();
  const { after } = params;
  return useMemo(() => {
    const { page: _, ...query } = list.query as Record<string, string>;
    return {
      ...list,
      page: after === undefined ? 1 : 2,
      query: { ...query, ...(after === undefined ? {} : { after }) } as unknown as List['query'],
      steps: {
        isFirst: after === undefined,
        next(cursor: string) {
          cameFrom.set(cursor, after);
          change({ after: cursor }, { isNewEntry: true });
        },
        back: () => change({ after: after === undefined ? undefined : cameFrom.get(after) }, { isNewEntry: true }),
      },
      sortBy: (field) => change({ sort: list.sort === field ? `-${field}` : field, after: undefined }),
      filter: (next) => change({ ...next, after: undefined }),
      clear() {
        change({ ...Object.fromEntries(Object.keys(list.filters).map((name) => [name, undefined])), after: undefined });
      },
    };
  }, [list, after, change]);
}
