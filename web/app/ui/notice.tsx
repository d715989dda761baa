// A box that says something about the screen or a part of it: title, text, one action. Dismissible only when harmless.
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useText } from '../texts.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import classes from './notice.module.css';

export type NoticeTone = 'info' | 'success' | 'warning' | 'danger';

interface Props {
  tone?: NoticeTone;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  onDismiss?: () => void;
}

const icons = { info: Info, success: CircleCheck, warning: TriangleAlert, danger: CircleAlert };

export function Notice({ tone = 'info', title, children, action, onDismiss }: Props) {
  const text = useText('ui');
  return (
    <div className={classes.notice} data-tone={tone}>
      <Icon of={icons[tone]} label={text(tone)} className={classes.icon!} />
      <div className={classes.words}>
        {title === undefined ? null : <strong>{title}</strong>}
        {children === undefined ? null : <div>{children}</div>}
      </div>
      {action === undefined ? null : <div className={classes.action}>{action}</div>}
      {onDismiss === undefined ? null : <IconButton icon={X} label={text('dismiss')} onClick={onDismiss} />}
    </div>
  );
}
