// A card that stands beside a form on wide screens, and on small ones is a line that tells the choices and opens.
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import classes from './folded-card.module.css';
import { Icon } from './icon.tsx';

interface Props {
  title: string;
  /** The choices in one line, for small screens. */
  summary: string;
  /** What the line is called: `Change delivery`. */
  openLabel: string;
  children: ReactNode;
}

export function FoldedCard({ title, summary, openLabel, children }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={classes.card} aria-labelledby={id}>
      <h2 id={id} className={classes.title}>
        {title}
      </h2>
      <button
        type="button"
        className={classes.line}
        aria-expanded={isOpen}
        aria-controls={`${id}-body`}
        onClick={() => setOpen(!isOpen)}
      >
        <span>
          <span className={classes.hidden}>{openLabel}: </span>
          {summary}
        </span>
        <Icon of={isOpen ? ChevronUp : ChevronDown} sizePx={18} />
      </button>
      <div id={`${id}-body`} className={classes.body} data-open={isOpen}>
        {children}
      </div>
    </section>
  );
}
