// List settings are in the URL, so that Back, reload and copied URLs restore them.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type SearchParams = Record<string, string | undefined>;

export interface SearchParamsState {
  params: SearchParams;
  /** Undefined removes a parameter. `isNewEntry` adds a history entry. */
  change(params: SearchParams, options?: { isNewEntry?: boolean }): void;
}

export function useSearchParams(): SearchParamsState {
  const params = useSearch({ strict: false }) as SearchParams;
  const navigate = useNavigate();
  const change = useCallback(
    (next: SearchParams, { isNewEntry = false }: { isNewEntry?: boolean } = {}) =>
      void navigate({
        to: '.',
        search: ((before: SearchParams) => ({ ...before, ...next })) as never,
        replace: !isNewEntry,
        resetScroll: false,
      }),
    [navigate],
  );
  return { params, change };
}
