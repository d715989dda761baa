// What the address says beside its path: filters, sort, page, tab, as plain words (`?state=problem&sort=-sent&page=2`).
// Everything people can set in a list lives here, so that Back, reload and a copied address bring it again.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type AddressWords = Record<string, string | undefined>;

export interface Address {
  words: AddressWords;
  /** Undefined takes a word away. `isNewEntry` makes Back return to what was before; filters and pages do not. */
  change(words: AddressWords, options?: { isNewEntry?: boolean }): void;
}

export function useAddress(): Address {
  const words = useSearch({ strict: false }) as AddressWords;
  const navigate = useNavigate();
  const change = useCallback(
    (next: AddressWords, { isNewEntry = false }: { isNewEntry?: boolean } = {}) =>
      void navigate({
        to: '.',
        search: ((before: AddressWords) => ({ ...before, ...next })) as never,
        replace: !isNewEntry,
        resetScroll: false,
      }),
    [navigate],
  );
  return { words, change };
}
