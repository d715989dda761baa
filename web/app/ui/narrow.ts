// Whether there is little room, for what must be built in another way. Looks alone belong to CSS.
import { useMediaQuery } from '@mantine/hooks';

/** A phone: drawers become pages, filters wait behind a button. */
export function useIsNarrow(): boolean {
  return useMatches('(max-width: 47.99em)');
}

/** Too narrow for the columns of a list, also beside the rail: a row has two lines instead. */
export function useIsListNarrow(): boolean {
  return useMatches('(max-width: 53.99em), (min-width: 64em) and (max-width: 69.99em)');
}

function useMatches(query: string): boolean {
  return useMediaQuery(query, false, { getInitialValueInEffect: false });
}
