// Whether the screen is a small one, at the same width at which tables become cards.
import { useMediaQuery } from '@mantine/hooks';

export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false }) === true;
}
