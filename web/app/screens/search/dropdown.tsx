// What opens below the search field at the top.
import { SearchResults, useRested } from './results.tsx';

export function SearchDropdown({ typed, onOpen }: { typed: string; onOpen: () => void }) {
  const rested = useRested(typed);
  // Nothing to wait for when the field was emptied.
  return <SearchResults q={typed === '' ? '' : rested} onOpen={onOpen} />;
}
