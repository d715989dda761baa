// What will be here, in one sentence, and the one action that brings it.
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';
import { Icon } from './icon.tsx';

interface Props {
  icon?: LucideIcon;
  title?: string | undefined;
  children: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: Props) {
  return (
    <div className={classes.empty}>
      {icon === undefined ? null : (
        <span className={classes.icon}>
          <Icon of={icon} sizePx={28} />
        </span>
      )}
      {title === undefined ? null : <h2>{title}</h2>}
      <div className={classes.words}>{children}</div>
      {action === undefined ? null : <div className={classes.action}>{action}</div>}
    </div>
  );
}
