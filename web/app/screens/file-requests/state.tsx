import type { AppRequestBody } from '#contract/app/file-requests.ts';
import { useNames } from '../../names.ts';
import { type TextKey, useText } from '../../texts.ts';
import { Pill, type PillTone } from '../../ui/pill.tsx';

const states: Record<AppRequestBody['state'], [TextKey<'file-requests'>, PillTone]> = {
  waiting: ['stateWaiting', 'progress'],
  open: ['stateOpen', 'success'],
  received: ['stateReceived', 'success'],
  expired: ['stateExpired', 'ended'],
  closed: ['stateClosed', 'ended'],
  used: ['stateUsed', 'ended'],
};

export function RequestState({ request }: { request: Pick<AppRequestBody, 'state' | 'deliveries' | 'files'> }) {
  const text = useText('file-requests');
  const [key, tone] = states[request.state];
  const n = request.state === 'open' ? request.deliveries : request.files;
  return <Pill tone={tone}>{text(key, { n })}</Pill>;
}

/** Its subject, or the person asked. */
export function useRequestName(): (request: Pick<AppRequestBody, 'subject' | 'recipient'>) => string {
  const text = useText('file-requests');
  const names = useNames();
  return ({ subject, recipient }) => (subject === '' ? text('noSubject', { person: names.of(recipient) }) : subject);
}
