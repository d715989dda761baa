import type { SentItemBody } from '#contract/app/messages.ts';
import { Until } from '../../../parts/until.tsx';
import { useText } from '../../../texts.ts';
import { Muted } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';

/** `2 of 3`; a header, or hidden text, says of what. */
export function ProgressMark({ item }: { item: SentItemBody }) {
  const text = useText('sent');
  const { people_done: done, people_count: count, file_count, private_message, state } = item;
  if (state === 'problem') return <Pill tone="danger">{text('stateProblem')}</Pill>;
  if (count === 0) return <Muted as="span">{text('progressLink')}</Muted>;
  const label = file_count > 0 ? 'statePartly' : private_message ? 'progressRead' : 'progressDelivered';
  return (
    <Pill tone={done === count ? 'success' : done > 0 || state === 'partly' ? 'progress' : 'neutral'}>
      <span aria-hidden="true">{text('progressShort', { done, count })}</span>
      <span className="visually-hidden">{text(label, { done, count })}</span>
    </Pill>
  );
}

export function EndMark({ item: { state, expires_at }, isShort }: { item: SentItemBody; isShort?: boolean }) {
  const text = useText('sent');
  if (state === 'expired') return <Pill tone="ended">{text('stateExpired')}</Pill>;
  if (state === 'stopped') return <Pill tone="ended">{text('stateStopped')}</Pill>;
  return <Until date={expires_at} isShort={isShort === true} />;
}
