// Use CSS for styles.
import { useMediaQuery } from '@mantine/hooks';

/** A phone. */
export function useIsNarrow(): boolean {
  return useMatches('(max-width: 47.99em)');
}

/** Too narrow for columns: a row has two lines. */
export function useIsListNarrow(): boolean {
  return useMatches('(max-width: 53.99em), (min-width: 64em) and (max-width: 69.99em)');
}

function useMatches(query: string): boolean {
  return useMediaQuery(query, false, { getInitialValueInEffect: false });
}
