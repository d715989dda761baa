// The h1 gets the focus after navigation.
import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMe } from '../me.ts';
import { useNewReceived } from '../new-received.ts';
import { focusScreen } from '../screen-focus.ts';
import { useText } from '../texts.ts';
import { isRunning } from '../transfers/running.ts';
import { percentOf, useTransfers } from '../transfers/transfers.ts';
import { Icon } from '../ui/icon.tsx';
import { Row } from '../ui/layout.tsx';
import classes from './screen.module.css';

interface Props {
  title: string;
  /** Replaces `title` in the h1 if it is more than text. */
  heading?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  back?: { to: LinkProps['to']; label: string } | undefined;
  children?: ReactNode;
}

export function Screen({ title, heading, lead, actions, back, children }: Props) {
  const ref = useRef<HTMLHeadingElement>(null);
  useTabTitle(title);
  useEffect(() => {
    if (ref.current) focusScreen(ref.current);
  }, []);
  return (
    <div className={classes.screen}>
      <header className={classes.header}>
        <div className={classes.text}>
          {back === undefined ? null : (
            <Link to={back.to} className={classes.back!}>
              <Icon of={ChevronLeft} sizePx={16} />
              {back.label}
            </Link>
          )}
          <h1 ref={ref} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {lead === undefined ? null : <p className={classes.lead}>{lead}</p>}
        </div>
        {actions === undefined ? null : <Row>{actions}</Row>}
      </header>
      {children}
    </div>
  );
}

/** `(2) Sent · Northlight` with two new received items. */
function useTabTitle(title: string): void {
  const text = useText('shell');
  const { organisation_name } = useMe();
  const { files } = useTransfers();
  const newCount = useNewReceived();
  const percent = files.some(isRunning) ? percentOf(files) : null;
  useEffect(() => {
    const plain = text('tabTitle', { screen: title, organisation: organisation_name });
    const screen = newCount === 0 ? plain : text('tabTitleNew', { n: newCount, screen: plain });
    document.title = percent === null ? screen : text('tabTitleSending', { percent, screen });
  }, [text, title, organisation_name, percent, newCount]);
}
