// How things are placed: below each other, side by side, as pairs of name and value, in columns; and the quiet line of text.
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import classes from './layout.module.css';

type Tag = 'div' | 'ul' | 'ol' | 'li' | 'span' | 'p' | 'section' | 'form';

interface StackProps {
  as?: Tag;
  /** Of the spaces in web/tokens.css. */
  gap?: 2 | 4 | 8 | 12 | 16 | 20 | 24;
  label?: string;
  children: ReactNode;
}

/** One below the other. */
export function Stack({ as: Element = 'div', gap, label, children }: StackProps) {
  return (
    <Element className={classes.stack} data-gap={gap} aria-label={label}>
      {children}
    </Element>
  );
}

/** Side by side, wrapping: buttons, words beside a pill. `isSpread` puts the last at the end of the line. */
export function Row({
  as: Element = 'div',
  isSpread,
  children,
}: {
  as?: Tag;
  isSpread?: boolean;
  children: ReactNode;
}) {
  return (
    <Element className={classes.row} data-spread={isSpread}>
      {children}
    </Element>
  );
}

/** Small and quiet. */
export function Muted({ as: Element = 'p', children }: { as?: Tag; children: ReactNode }) {
  return <Element className={classes.muted}>{children}</Element>;
}

interface NoteProps {
  as?: Tag;
  icon: LucideIcon;
  /** `alert` colours the picture alone. */
  tone?: 'plain' | 'muted' | 'success' | 'warning' | 'danger' | 'alert' | undefined;
  children: ReactNode;
}

/** A sentence with a picture before it. */
export function Note({ as: Element = 'p', icon, tone, children }: NoteProps) {
  const Words = Element === 'p' || Element === 'span' ? 'span' : 'div';
  return (
    <Element className={classes.note} data-tone={tone}>
      <Icon of={icon} sizePx={18} />
      <Words>{children}</Words>
    </Element>
  );
}

export interface Pair {
  name: string;
  value: ReactNode;
}

/** Names and values; on phones below each other. */
export function Pairs({ pairs }: { pairs: readonly Pair[] }) {
  return (
    <dl className={classes.pairs}>
      {pairs.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface ColumnsProps {
  main: ReactNode;
  side: ReactNode;
  /** Below `main`; on small screens after `side`. */
  rest?: ReactNode;
}

/** The parts of a detail screen: what matters most and, beside it or below on small screens, what goes with it. */
export function Columns({ main, side, rest }: ColumnsProps) {
  return (
    <div className={classes.columns}>
      <Stack gap={24}>{main}</Stack>
      <div className={classes.side}>
        <Stack gap={24}>{side}</Stack>
      </div>
      {rest === undefined ? null : <Stack gap={24}>{rest}</Stack>}
    </div>
  );
}
