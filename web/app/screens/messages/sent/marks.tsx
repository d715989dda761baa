import { CircleAlert } from 'lucide-react';
import type { SentItemBody } from '#contract/app/messages.ts';
import { Until } from '../../../parts/until.tsx';
import { useText } from '../../../texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import classes from './sent.module.css';

/** `2 of 3`; a header, or hidden text, says of what. */
export function ProgressMark({ item }: { item: SentItemBody }) {
  const text = useText('sent');
  const { people_done: done, people_count: count, file_count, private_message, state } = item;
  if (count === 0) return <Muted as="span">{text('progressLink')}</Muted>;
  const label = file_count > 0 ? 'statePartly' : private_message ? 'progressRead' : 'progressDelivered';
  const content = (
    <>
      <span aria-hidden="true">{text('progressShort', { done, count })}</span>
      <span className="visually-hidden">{text(label, { done, count })}</span>
    </>
  );
  // The problem below has the colour.
  if (state === 'problem') return content;
  return (
    <Pill tone={done === count ? 'success' : done > 0 || state === 'partly' ? 'progress' : 'neutral'}>{content}</Pill>
  );
}

export function ProblemMark({ item: { state } }: { item: SentItemBody }) {
  const text = useText('sent');
  if (state !== 'problem') return null;
  return (
    <span className={classes.problem}>
      <Icon of={CircleAlert} sizePx={14} /> {text('stateProblem')}
    </span>
  );
}

export function EndMark({ item: { state, expires_at }, isShort }: { item: SentItemBody; isShort?: boolean }) {
  const text = useText('sent');
  if (state === 'expired') return <Pill tone="ended">{text('stateExpired')}</Pill>;
  if (state === 'refused') return <Pill tone="danger">{text('stateRefused')}</Pill>;
  if (state === 'stopped') return <Pill tone="ended">{text('stateStopped')}</Pill>;
  return <Until date={expires_at} isShort={isShort === true} />;
}
