// A surface that holds one thing, with its h2 and its own small actions.
import { type ReactNode, useId } from 'react';
import classes from './card.module.css';

interface Props {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
  /** Without room around the content: for tables and lists that reach the edges. */
  isFlush?: boolean;
}

export function Card({ title, actions, children, isFlush }: Props) {
  const id = useId();
  const Tag = title === undefined ? 'div' : 'section';
  return (
    <Tag className={classes.card} {...(title === undefined ? {} : { 'aria-labelledby': id })}>
      {title === undefined && actions === undefined ? null : (
        <div className={classes.header}>
          {title === undefined ? null : <h2 id={id}>{title}</h2>}
          {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
        </div>
      )}
      <div className={isFlush ? classes.flush : classes.body}>{children}</div>
    </Tag>
  );
}
