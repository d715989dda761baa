// A state with text and icon; colour is additional.
import { Check, CircleAlert, CircleDashed, Clock, type LucideIcon, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import classes from './pill.module.css';

export type PillTone = 'neutral' | 'progress' | 'success' | 'warning' | 'danger' | 'ended';

const icons: Record<PillTone, LucideIcon | null> = {
  neutral: null,
  progress: CircleDashed,
  success: Check,
  warning: Clock,
  danger: CircleAlert,
  ended: Minus,
};

interface Props {
  tone?: PillTone;
  icon?: LucideIcon | undefined;
  children: ReactNode;
}

export function Pill({ tone = 'neutral', icon, children }: Props) {
  const picture = icon ?? icons[tone];
  return (
    <span className={classes.pill} data-tone={tone}>
      {picture === null ? null : <Icon of={picture} sizePx={14} />}
      {children}
    </span>
  );
}
