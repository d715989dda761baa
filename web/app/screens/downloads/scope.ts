// Period and filters from the URL, for list, statistics and export.
import { useMemo } from 'react';
import { basePath } from '../../host-page.ts';
import { type List, useList } from '../../list.ts';
import { useZone } from '../../me.ts';
import { useSearchParams } from '../../search-params.ts';

export const rangeDays = [7, 30, 90] as const;
export type Range = { days: (typeof rangeDays)[number] } | { from: string; to: string };

const usualDays = 30;
const filterNames = ['file', 'person', 'message', 'link', 'country', 'device'] as const;

export interface Scope {
  range: Range;
  /** Excludes the period. */
  list: List;
  /** Filters and period. */
  query: Record<string, never>;
  pageQuery: Record<string, never>;
  choose(range: Range): void;
}

export function useScope(): Scope {
  const list = useList({ filters: filterNames, sort: '-downloaded_at' });
  const { params, change } = useSearchParams();
  const zone = useZone();
  const { days, from, to } = params;
  return useMemo(() => {
    const range = rangeOf({ days, from, to });
    const time = { ...('days' in range ? { days: String(range.days) } : range), zone };
    return {
      range,
      list,
      query: { ...list.filters, ...time } as unknown as Record<string, never>,
      pageQuery: { ...list.query, ...time } as unknown as Record<string, never>,
      choose: (next) =>
        change(
          'days' in next
            ? { days: next.days === usualDays ? undefined : String(next.days), from: undefined, to: undefined }
            : { days: undefined, from: next.from, to: next.to },
        ),
    };
  }, [list, days, from, to, zone, change]);
}

const isDate = (value: string | undefined): value is string => value !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(value);

function rangeOf({ days, from, to }: Record<'days' | 'from' | 'to', string | undefined>): Range {
  if (isDate(from) && isDate(to)) return { from, to };
  return { days: rangeDays.find((known) => String(known) === days) ?? usualDays };
}

export function exportUrl(scope: Scope, format: 'csv' | 'json'): string {
  return `${basePath}/app-api/log/export?${new URLSearchParams({ ...scope.query, format })}`;
}

export function countryName(locale: string, code: string, fallback: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' }).of(code) ?? fallback;
  } catch {
    return fallback;
  }
}
