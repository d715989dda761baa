// "Saved" beside what was just changed: seen for a moment, and said once.
import { Check } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Icon } from '../../ui/icon.tsx';
import classes from './saved-mark.module.css';

const shownMs = 4_000;

/** `note('name')` after the change; `what` is it for a moment. */
export function useSaved<What extends string>(): { what: What | null; note(what: What): void } {
  const text = useText('account');
  const [saved, setSaved] = useState<{ what: What } | null>(null);
  useEffect(() => {
    if (saved === null) return;
    const timer = setTimeout(() => setSaved(null), shownMs);
    return () => clearTimeout(timer);
  }, [saved]);
  return {
    what: saved?.what ?? null,
    note(what) {
      setSaved({ what });
      announce(text('savedSaid'));
    },
  };
}

/** Keeps its room while it is not shown, so that nothing moves. */
export function SavedMark({ isShown }: { isShown: boolean }) {
  const text = useText('account');
  return (
    <span className={classes.mark} data-shown={isShown} aria-hidden="true">
      <Icon of={Check} sizePx={18} />
      {text('saved')}
    </span>
  );
}
