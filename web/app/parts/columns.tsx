// How the parts of a detail screen stand: what matters most and, beside it or below on small screens, what goes with it.
import type { ReactNode } from 'react';
import classes from './columns.module.css';

interface ColumnsProps {
  main: ReactNode;
  side: ReactNode;
  /** Below `main`; on small screens after `side`. */
  rest?: ReactNode;
}

export function Columns({ main, side, rest }: ColumnsProps) {
  return (
    <div className={classes.columns}>
      <div className={classes.main}>{main}</div>
      <div className={classes.side}>{side}</div>
      {rest === undefined ? null : <div className={classes.rest}>{rest}</div>}
    </div>
  );
}

/** One below the other, inside a card. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={classes.stack}>{children}</div>;
}

/** Buttons side by side. */
export function Buttons({ children }: { children: ReactNode }) {
  return <div className={classes.buttons}>{children}</div>;
}

/** A quiet line. */
export function Muted({ children }: { children: ReactNode }) {
  return <p className={classes.muted}>{children}</p>;
}
