import { useApi } from './api.ts';

/** Items not downloaded yet; 0 while loading. */
export function useNewReceived(): number {
  const { data } = useApi('listReceived', { query: { state: 'new', size: '1' } as never });
  return data?.total ?? 0;
}
