// Whether the window is as narrow as a phone, for screens that are built otherwise there; looks alone belong to CSS.
import { useMediaQuery } from '@mantine/hooks';

export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
}
