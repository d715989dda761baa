import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import classes from './card.module.css';
import { Icon } from './icon.tsx';
import { Row } from './layout.tsx';

interface Props {
  title?: string;
  /** A number after the title. */
  mark?: string;
  actions?: ReactNode;
  children: ReactNode;
  /** Tables and lists reach the edges. */
  isFlush?: boolean;
}

export function Card({ title, mark, actions, children, isFlush }: Props) {
  const id = useId();
  const Tag = title === undefined ? 'div' : 'section';
  return (
    <Tag className={classes.card} aria-labelledby={title === undefined ? undefined : id}>
      {title === undefined && actions === undefined ? null : (
        <div className={classes.header}>
          {title === undefined ? null : (
            <h2 id={id}>
              {title} {mark === undefined ? null : <span className={classes.mark}>{mark}</span>}
            </h2>
          )}
          {actions === undefined ? null : <Row>{actions}</Row>}
        </div>
      )}
      <div className={isFlush ? classes.flush : classes.body} data-card-body="">
        {children}
      </div>
    </Tag>
  );
}

interface FoldedProps {
  title: string;
  /** The choices in one line, for small screens. */
  summary: string;
  /** `Change delivery`. */
  openLabel: string;
  children: ReactNode;
}

/** On small screens a summary line that opens. */
export function FoldedCard({ title, summary, openLabel, children }: FoldedProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={`${classes.card} ${classes.folding}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <button
        type="button"
        className={classes.line}
        aria-expanded={isOpen}
        aria-controls={`${id}-body`}
        onClick={() => setOpen(!isOpen)}
      >
        <span>
          <span className="visually-hidden">{openLabel}: </span>
          {summary}
        </span>
        <Icon of={isOpen ? ChevronUp : ChevronDown} sizePx={18} />
      </button>
      <div id={`${id}-body`} className={classes.folded} data-open={isOpen}>
        {children}
      </div>
    </section>
  );
}
