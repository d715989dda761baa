import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import classes from './layout.module.css';

type Tag = 'div' | 'ul' | 'ol' | 'li' | 'span' | 'p' | 'section' | 'form';

interface StackProps {
  as?: Tag;
  /** Tokens of web/tokens.css. */
  gap?: 2 | 4 | 8 | 12 | 16 | 20 | 24;
  label?: string;
  /** Fields no wider than text is easy to read. */
  isForm?: boolean;
  children: ReactNode;
}

export function Stack({ as: Element = 'div', gap, label, isForm, children }: StackProps) {
  return (
    <Element className={classes.stack} data-gap={gap} data-form={isForm} aria-label={label}>
      {children}
    </Element>
  );
}

/** Wraps. `isSpread` puts the last element at the end of the line. */
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

export function Muted({ as: Element = 'p', children }: { as?: Tag; children: ReactNode }) {
  return <Element className={classes.muted}>{children}</Element>;
}

interface NoteProps {
  as?: Tag;
  icon: LucideIcon;
  /** `alert` colours only the icon. */
  tone?: 'plain' | 'muted' | 'success' | 'warning' | 'danger' | 'alert' | undefined;
  children: ReactNode;
}

export function Note({ as: Element = 'p', icon, tone, children }: NoteProps) {
  const Wrapper = Element === 'p' || Element === 'span' ? 'span' : 'div';
  return (
    <Element className={classes.note} data-tone={tone}>
      <Icon of={icon} sizePx={18} />
      <Wrapper>{children}</Wrapper>
    </Element>
  );
}

export interface Pair {
  name: string;
  value: ReactNode;
}

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
  /** On small screens after `side`. */
  rest?: ReactNode;
}

/** On small screens `side` is below `main`. */
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
