// How much has come that the person has not fetched yet: for the frame, the title of the tab and the list itself.
import { useApi } from './api.ts';

/** 0 until it is known. Read again when the server says that something came. */
export function useNewReceived(): number {
  const { data } = useApi('listReceived', { query: { state: 'new', size: '1' } as never });
  return data?.total ?? 0;
}
