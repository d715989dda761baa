// Gets the focus when it appears or changes, so that it needs no announcement.
import { useEffect, useRef } from 'react';
import { useText } from '../texts.ts';
import classes from './error-summary.module.css';

export interface Mistake {
  fieldId: string;
  sentence: string;
}

/** Such as a day that is too late. */
export function invalidFieldsIn(part: ParentNode): Mistake[] {
  const fields = part.querySelectorAll<HTMLElement>('[data-invalid-text]');
  return Array.from(fields, (field) => ({ fieldId: field.id, sentence: field.dataset.invalidText ?? '' }));
}

/** Shows a sentence once. Pass a new array for each submit, so that the focus moves again. */
export function ErrorSummary({ mistakes: all }: { mistakes: readonly Mistake[] }) {
  const text = useText('ui');
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (all.length > 0) ref.current?.focus();
  }, [all]);
  const mistakes = [...Map.groupBy(all, ({ sentence }) => sentence).values()].map(([first]) => first!);
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

/** The URL does not change. */
function goTo(event: { preventDefault(): void }, fieldId: string): void {
  event.preventDefault();
  document.getElementById(fieldId)?.focus();
}
