// "Saved" next to a changed setting: shown briefly and announced once.
import { Check } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useText } from '../texts.ts';
import { announce } from './announcer.tsx';
import { Icon } from './icon.tsx';
import classes from './saved-mark.module.css';

const shownMs = 4_000;

/** Call `note()` after the change. */
export function useSaved(): { isShown: boolean; note(): void } {
  const text = useText('ui');
  const [savedAt, setSavedAt] = useState<number | null>(null);
  useEffect(() => {
    if (savedAt === null) return;
    const timer = setTimeout(() => setSavedAt(null), shownMs);
    return () => clearTimeout(timer);
  }, [savedAt]);
  return {
    isShown: savedAt !== null,
    note() {
      setSavedAt(performance.now());
      announce(text('savedSaid'));
    },
  };
}

/** Keeps its space while hidden. */
export function SavedMark({ isShown }: { isShown: boolean }) {
  const text = useText('ui');
  return (
    <span className={classes.mark} data-shown={isShown} aria-hidden="true">
      <Icon of={Check} sizePx={18} />
      {text('saved')}
    </span>
  );
}
