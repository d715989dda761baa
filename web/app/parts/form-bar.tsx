// The buttons at the end of a long form: they stay in sight at the bottom of its drawer, and on phones above the bottom
// bar of the app, where the form is a page (`data-page` on an element around it).
import type { ReactNode } from 'react';
import classes from './form-bar.module.css';

export function FormBar({ children }: { children: ReactNode }) {
  return <div className={classes.bar}>{children}</div>;
}
