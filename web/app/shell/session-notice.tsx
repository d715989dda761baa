// Two minutes before the session ends: a notice with a button, said assertively (experience 4.4). Any call keeps the
// session awake, so the button simply makes one.

import { useEffect, useState } from 'react';
import { useMe } from '../me.ts';
import { readMe } from '../session.ts';
import { useText } from '../texts.ts';
import { warn } from '../ui/announcer.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/states.tsx';
import classes from './shell.module.css';

const warnMs = 2 * 60_000;

/** When the session ends if nothing is done, in milliseconds since 1970; null when the server does not tell. */
function endOf(me: object): number | null {
  const told = (me as { session_ends_at?: unknown }).session_ends_at;
  return typeof told === 'string' ? Date.parse(told) : null;
}

export function SessionNotice() {
  const text = useText('shell');
  const [endsAt, setEndsAt] = useState(endOf(useMe()));
  const [isSoon, setSoon] = useState(false);
  const sentence = text('endsSoon', { n: warnMs / 60_000 });
  useEffect(() => {
    setSoon(false);
    if (endsAt === null) return;
    const timer = setTimeout(
      () => {
        setSoon(true);
        warn(sentence);
      },
      Math.min(2 ** 31 - 1, Math.max(0, endsAt - warnMs - Date.now())),
    );
    return () => clearTimeout(timer);
  }, [endsAt, sentence]);
  if (!isSoon) return null;
  const stay = async () => {
    const me = await readMe();
    if (me !== null) setEndsAt(endOf(me));
  };
  return (
    <div className={classes.strip}>
      <Notice tone="warning" action={<Button onClick={() => void stay()}>{text('stay')}</Button>}>
        {sentence}
      </Notice>
    </div>
  );
}
