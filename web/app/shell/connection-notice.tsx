import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type Connection, connection } from '../connection.ts';
import { type TextKey, useText } from '../texts.ts';
import { isRunning } from '../transfers/running.ts';
import { transfers } from '../transfers/transfers.ts';
import { announce } from '../ui/announcer.tsx';
import { Notice } from '../ui/states.tsx';
import classes from './shell.module.css';

type Lost = Exclude<Connection, 'online'>;

const shown: Record<Lost, TextKey<'shell'>> = {
  offline: 'offline',
  unreachable: 'serverUnreachable',
  restarting: 'serverRestarting',
};

const sentences: Record<Connection, TextKey<'shell'>> = {
  online: 'onlineSaid',
  offline: 'offlineSaid',
  unreachable: 'serverUnreachableSaid',
  restarting: 'serverRestartingSaid',
};

export function ConnectionNotice() {
  const text = useText('shell');
  const upload = useText('upload');
  const state = useSyncExternalStore(connection.listen, connection.read);
  const was = useRef(state);
  useEffect(() => {
    if (was.current === state) return;
    const wasOnline = was.current === 'online';
    was.current = state;
    const isSending = transfers().read().files.some(isRunning);
    if (isSending && state === 'online') announce(upload('upload.onlineSaid'));
    else if (isSending && wasOnline) announce(upload('upload.offlineSaid'));
    else announce(text(sentences[state]));
  }, [state, text, upload]);
  if (state === 'online') return null;
  return (
    <div className={classes.strip}>
      <Notice tone="warning">{text(shown[state], { host: location.host })}</Notice>
    </div>
  );
}
