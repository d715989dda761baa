import { SearchResults, useDebounced } from './results.tsx';

export function SearchDropdown({ typed, onOpen }: { typed: string; onOpen: () => void }) {
  const debounced = useDebounced(typed);
  // An emptied field needs no delay.
  return <SearchResults q={typed === '' ? '' : debounced} onOpen={onOpen} />;
}
