// Two minutes before the session ends: a notice, said assertively (experience 4.4), with a button where something done makes
// it last longer. Any call but the one that asks for its end does, so the button simply makes one.

import { useEffect, useState } from 'react';
import { call } from '../api.ts';
import { readMe } from '../session.ts';
import { useText } from '../texts.ts';
import { warn } from '../ui/announcer.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/states.tsx';
import classes from './shell.module.css';

const warnMs = 2 * 60_000;
/** While nobody can be asked. */
const askAgainMs = 60_000;
/** While it is near: whatever somebody does, here or in another tab, puts it off. */
const watchMs = 10_000;
const longestTimerMs = 2 ** 31 - 1;

/** `final`: nothing puts it off. */
type Ending = 'near' | 'final' | null;

export function SessionNotice() {
  const text = useText('shell');
  const [ending, setEnding] = useState<Ending>(null);
  const [stays, setStays] = useState(0);
  const sentence = text('endsSoon', { n: warnMs / 60_000 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each press the end is another one
  useEffect(() => followEnd(setEnding), [stays]);
  useEffect(() => {
    if (ending !== null) warn(sentence);
  }, [ending, sentence]);
  if (ending === null) return null;
  const stay = async () => {
    await readMe().catch(() => null);
    setStays((count) => count + 1);
  };
  const button = <Button onClick={() => void stay()}>{text('stay')}</Button>;
  return (
    <div className={classes.strip}>
      <Notice tone="warning" action={ending === 'near' ? button : undefined}>
        {sentence}
      </Notice>
    </div>
  );
}

/** Tells when the end is near, and when it is not any more. */
function followEnd(tell: (ending: Ending) => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let isOver = false;
  const look = async () => {
    // A session that has ended is waited for until there is one again.
    const answer = await call('getSession', {}).catch(() => null);
    if (isOver) return;
    const session = answer?.session ?? null;
    const leftMs = session === null ? null : session.ends_in * 1000;
    const isNear = leftMs !== null && leftMs <= warnMs;
    tell(isNear ? (session?.can_stay === true ? 'near' : 'final') : null);
    const nextMs = leftMs === null ? askAgainMs : isNear ? Math.min(watchMs, leftMs + 1000) : leftMs - warnMs;
    timer = setTimeout(look, Math.min(longestTimerMs, nextMs));
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
