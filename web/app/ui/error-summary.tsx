// At the top of a form after a press that found mistakes: how many, and a link to each field. Takes the focus when it
// appears or changes, so nothing else needs to be announced.
import { useEffect, useRef } from 'react';
import { useText } from '../texts.ts';
import classes from './error-summary.module.css';

export interface Mistake {
  /** Of the control. */
  fieldId: string;
  sentence: string;
}

/** What is typed in fields of this part of the page and cannot be taken, such as a day that is too late. */
export function untakenIn(part: ParentNode): Mistake[] {
  const fields = part.querySelectorAll<HTMLElement>('[data-untaken]');
  return Array.from(fields, (field) => ({ fieldId: field.id, sentence: field.dataset.untaken ?? '' }));
}

/** `mistakes` is a new array for each press, so that a second press moves the focus again. */
export function ErrorSummary({ mistakes }: { mistakes: readonly Mistake[] }) {
  const text = useText('ui');
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (mistakes.length > 0) ref.current?.focus();
  }, [mistakes]);
  if (mistakes.length === 0) return null;
  return (
    <div ref={ref} tabIndex={-1} className={classes.summary}>
      <h2>{text('errorCount', { n: mistakes.length })}</h2>
      <ul>
        {mistakes.map(({ fieldId, sentence }) => (
          <li key={fieldId + sentence}>
            <a href={`#${fieldId}`} onClick={(event) => goTo(event, fieldId)}>
              {sentence}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The address of the screen stays as it is. */
function goTo(event: { preventDefault(): void }, fieldId: string): void {
  event.preventDefault();
  document.getElementById(fieldId)?.focus();
}
