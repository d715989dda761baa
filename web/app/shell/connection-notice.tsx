// Tells once, for the whole app, that there is no line to the server.
import { useEffect, useRef } from 'react';
import { useText } from '../texts.ts';
import { announce } from '../ui/announcer.tsx';
import { Notice } from '../ui/notice.tsx';
import { useIsOnline } from './line.ts';
import classes from './line-notice.module.css';

export function ConnectionNotice() {
  const text = useText('shell');
  const isOnline = useIsOnline();
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
