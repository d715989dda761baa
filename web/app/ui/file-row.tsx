// An <li>.
import type { ReactNode } from 'react';
import { extensionLabel, visibleText } from '../../visible.ts';
import classes from './file-row.module.css';

interface Props {
  /** Hidden and reordering characters are replaced here. */
  name: string;
  /** `Ready · 48.2 MB`. */
  state: ReactNode;
  tone?: 'plain' | 'success' | 'warning' | 'danger';
  progress?: ReactNode;
  actions?: ReactNode;
  /** Wraps the name in a link. */
  link?: (name: string) => ReactNode;
}

export function FileList({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <ul className={classes.list} {...(label === undefined ? {} : { 'aria-label': label })}>
      {children}
    </ul>
  );
}

export function FileRow({ name, state, tone = 'plain', progress, actions, link }: Props) {
  const shown = visibleText(name);
  return (
    <li className={classes.row} data-tone={tone}>
      <span className={classes.tile} aria-hidden="true">
        {tone === 'danger' ? '!' : extensionLabel(name)}
      </span>
      <div className={classes.text}>
        <span className={classes.name}>{link ? link(shown) : <bdi>{shown}</bdi>}</span>
        {progress}
        <span className={classes.state}>{state}</span>
      </div>
      {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
    </li>
  );
}
