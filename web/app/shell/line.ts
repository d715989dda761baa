// Is there a line to the server? The browser's own word, in one place.
import { useSyncExternalStore } from 'react';

function listen(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

export function useIsOnline(): boolean {
  return useSyncExternalStore(listen, () => navigator.onLine);
}
