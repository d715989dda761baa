// What a part or a screen shows when it could not be had: the server's sentence, what to do, and the numbers for support.
import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ClientProblem } from '#contract/client.ts';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import classes from './empty-state.module.css';
import { EmptyState } from './empty-state.tsx';
import { Notice } from './notice.tsx';

interface Props {
  error: unknown;
  onRetry?: () => void;
  /** In place of the server's sentence. */
  title?: string;
  icon?: LucideIcon;
  action?: ReactNode;
}

export function ErrorState({ error, onRetry, title, icon = CircleAlert, action }: Props) {
  const text = useText('ui');
  const sentence = useSentence(error);
  return (
    <EmptyState
      icon={icon}
      title={title}
      action={
        <>
          {onRetry === undefined ? null : <Button onClick={onRetry}>{text('tryAgain')}</Button>}
          {action}
        </>
      }
    >
      {sentence}
      <Evidence error={error} />
    </EmptyState>
  );
}

/** The same as a notice, for an action that was refused: beside the button that was pressed. Nothing without an error. */
export function ProblemNotice({ error }: { error: unknown }) {
  const sentence = useSentence(error);
  if (error === null || error === undefined) return null;
  return (
    <Notice tone="danger">
      {sentence}
      <Evidence error={error} />
    </Notice>
  );
}

/** The server's own sentence where there is one. */
export function useSentence(error: unknown): string {
  return useSentenceOf()(error);
}

/** The same for an error that comes later, as in a callback. */
export function useSentenceOf(): (error: unknown) => string {
  const text = useText('ui');
  return (error) => {
    if (!(error instanceof ClientProblem)) return text('problemFallback');
    if (error.status === 0) return text('unreachable');
    return error.sentence === '' ? text('problemFallback') : error.sentence;
  };
}

/** The refusal of one field, in the server's words; null when it is about something else. */
export function problemAt(error: unknown, field: string): string | null {
  return error instanceof ClientProblem && error.field === field ? error.sentence : null;
}

/** Code and request id in small text, to be copied for support. */
function Evidence({ error }: { error: unknown }) {
  const text = useText('ui');
  if (!(error instanceof ClientProblem) || error.requestId === '') return null;
  return (
    <span className={classes.evidence}>
      {text('problemCode', { code: error.code })} · {text('requestId', { id: error.requestId })}
    </span>
  );
}
