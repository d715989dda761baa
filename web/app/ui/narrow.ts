// Whether the screen is a small one, where tables become cards and drawers pages. Looks alone belong to CSS.
import { useMediaQuery } from '@mantine/hooks';

export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
}
