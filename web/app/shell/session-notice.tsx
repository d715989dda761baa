// Warns inactive users two minutes before their session ends.

import { useEffect, useState } from 'react';
import { call } from '../api.ts';
import { fetchMe } from '../session.ts';
import { useText } from '../texts.ts';
import { warn } from '../ui/announcer.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/states.tsx';
import { isUserActive } from '../user-activity.ts';
import classes from './shell.module.css';

const warnMs = 2 * 60_000;
const askAgainMs = 60_000;
/** Activity, here or in another tab, may extend the session. */
const watchMs = 10_000;
const longestTimerMs = 2 ** 31 - 1;

/** `final`: cannot be extended. */
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
    await fetchMe().catch(() => null);
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

function followEnd(notify: (ending: Ending) => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let isOver = false;
  const check = async () => {
    const session = await readEnd();
    if (isOver) return;
    const isNear = session !== null && session.leftMs <= warnMs;
    notify(isNear ? (session.canStay ? 'near' : 'final') : null);
    timer = setTimeout(check, Math.min(longestTimerMs, waitMs(session)));
  };
  void check();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

interface End {
  leftMs: number;
  canStay: boolean;
}

/** Null after a failed request. Activity without calls extends the session here. */
async function readEnd(): Promise<End | null> {
  const end = await requestEnd();
  if (end === null || end.leftMs > warnMs || !end.canStay || !isUserActive()) return end;
  await fetchMe().catch(() => null);
  return requestEnd();
}

async function requestEnd(): Promise<End | null> {
  const { session } = (await call('getSession', {}).catch(() => null)) ?? { session: null };
  return session === null ? null : { leftMs: session.ends_in * 1000, canStay: session.can_stay };
}

function waitMs(end: End | null): number {
  if (end === null) return askAgainMs;
  return end.leftMs <= warnMs ? Math.min(watchMs, end.leftMs + 1000) : end.leftMs - warnMs;
}
