// Two minutes before the session of somebody who is away ends: a notice, said assertively (experience 4.4), with a button
// where something done makes it last longer. Any call made while somebody is here does, so the button simply makes one.

import { useEffect, useState } from 'react';
import { call } from '../api.ts';
import { isSomebodyHere } from '../presence.ts';
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
    const session = await readEnd();
    if (isOver) return;
    const isNear = session !== null && session.leftMs <= warnMs;
    tell(isNear ? (session.canStay ? 'near' : 'final') : null);
    timer = setTimeout(look, Math.min(longestTimerMs, waitMs(session)));
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

interface End {
  leftMs: number;
  canStay: boolean;
}

/** Null while nobody can be asked. Whoever reads or types is at work, even if nothing they do is a call: theirs is put off. */
async function readEnd(): Promise<End | null> {
  const end = await askForEnd();
  if (end === null || end.leftMs > warnMs || !end.canStay || !isSomebodyHere()) return end;
  await readMe().catch(() => null);
  return askForEnd();
}

/** A session that has ended is waited for until there is one again. */
async function askForEnd(): Promise<End | null> {
  const { session } = (await call('getSession', {}).catch(() => null)) ?? { session: null };
  return session === null ? null : { leftMs: session.ends_in * 1000, canStay: session.can_stay };
}

function waitMs(end: End | null): number {
  if (end === null) return askAgainMs;
  return end.leftMs <= warnMs ? Math.min(watchMs, end.leftMs + 1000) : end.leftMs - warnMs;
}
