// Number of received items that were not downloaded yet: for frame, tab title and list.
import { useApi } from './api.ts';

/** 0 while loading. Refetched when the server reports something new. */
export function useNewReceived(): number {
  const { data } = useApi('listReceived', { query: { state: 'new', size: '1' } as never });
  return data?.total ?? 0;
}
