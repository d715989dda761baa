// Results below the search field at the top.
import { SearchResults, useRested } from './results.tsx';

export function SearchDropdown({ typed, onOpen }: { typed: string; onOpen: () => void }) {
  const rested = useRested(typed);
  // An emptied field needs no delay.
  return <SearchResults q={typed === '' ? '' : rested} onOpen={onOpen} />;
}
