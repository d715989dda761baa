// A figure on screen, `2 new` for screen readers.

import type { NavItem } from '../navigation.ts';
import { useNewReceived } from '../new-received.ts';
import { useText } from '../texts.ts';
import classes from './new-count.module.css';

/** Larger numbers do not fit. */
const mostShown = 99;

export function NewCount({ of }: { of: NavItem['to'] }) {
  return of === '/received' ? <ReceivedCount /> : null;
}

function ReceivedCount() {
  const text = useText('shell');
  const n = useNewReceived();
  if (n === 0) return null;
  return (
    <>
      <span className={classes.count} aria-hidden="true">
        {n > mostShown ? text('countMost', { n: mostShown }) : n}
      </span>
      <span className="visually-hidden">{text('newCount', { n })}</span>
    </>
  );
}
