// Period and filters from the URL, for list, statistics and export.
import { useMemo } from 'react';
import { useCursorList } from '../../../cursor-list.ts';
import type { List } from '../../../list.ts';
import { useSearchParams } from '../../../search-params.ts';

export const periods = ['7', '30', '90'] as const;
export type Period = (typeof periods)[number];
const usual: Period = '30';
const filterNames = ['person', 'recipient', 'object', 'country'] as const;

export interface Scope {
  list: List;
  days: Period;
  choose(days: Period): void;
  filters: Record<string, string>;
  query: Record<string, never>;
}

export function useScope(): Scope {
  const list = useCursorList({ filters: filterNames, sort: '-at' });
  const { params, change } = useSearchParams();
  const days = periods.find((known) => known === params.days) ?? usual;
  return useMemo(() => {
    const { sort: _, ...query } = list.query as Record<string, string>;
    return {
      list,
      days,
      choose: (next) => change({ days: next === usual ? undefined : next, after: undefined }),
      filters: { ...(list.filters as Record<string, string>), days },
      query: { ...query, days } as unknown as Record<string, never>,
    };
  }, [list, days, change]);
}
