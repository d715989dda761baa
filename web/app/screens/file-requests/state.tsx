// The state of a file request in a word, as in the list and on its own screen.
import type { AppRequestBody } from '#contract/app/file-requests.ts';
import { useText } from '../../texts.ts';
import { Pill } from '../../ui/pill.tsx';

type Stated = Pick<AppRequestBody, 'state' | 'deliveries' | 'files'>;

export const requestStates = ['waiting', 'open', 'received', 'expired', 'closed', 'used'] as const;

export function RequestState({ request }: { request: Stated }) {
  const text = useText('file-requests');
  switch (request.state) {
    case 'waiting':
      return <Pill tone="progress">{text('stateWaiting')}</Pill>;
    case 'open':
      return <Pill tone="success">{text('stateOpen', { n: request.deliveries })}</Pill>;
    case 'received':
      return <Pill tone="success">{text('stateReceived', { n: request.files })}</Pill>;
    case 'expired':
      return <Pill tone="ended">{text('stateExpired')}</Pill>;
    case 'closed':
      return <Pill tone="ended">{text('stateClosed')}</Pill>;
    default:
      return <Pill tone="ended">{text('stateUsed')}</Pill>;
  }
}

/** What a request is called: its subject, or whom it asked. */
export function useRequestName(): (request: Pick<AppRequestBody, 'subject' | 'recipient'>) => string {
  const text = useText('file-requests');
  return ({ subject, recipient }) => (subject === '' ? text('noSubject', { person: recipient }) : subject);
}
