// Tells once, for the whole app, that there is no connection to the server. The browser's own word.
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useText } from '../texts.ts';
import { announce } from '../ui/announcer.tsx';
import { Notice } from '../ui/states.tsx';
import classes from './shell.module.css';

function listen(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

export function ConnectionNotice() {
  const text = useText('shell');
  const isOnline = useSyncExternalStore(listen, () => navigator.onLine);
  const was = useRef(isOnline);
  useEffect(() => {
    if (was.current === isOnline) return;
    was.current = isOnline;
    announce(text(isOnline ? 'onlineSaid' : 'offlineSaid'));
  }, [isOnline, text]);
  if (isOnline) return null;
  return (
    <div className={classes.strip}>
      <Notice tone="warning">{text('offline')}</Notice>
    </div>
  );
}
