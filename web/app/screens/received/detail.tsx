// Opening it has no effects; only clicks do.

import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { AppReceivedDetailBody } from '#contract/app/received.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { Screen } from '../../parts/screen.tsx';
import { ScreenLoaded } from '../../parts/screen-states.tsx';
import { useText } from '../../texts.ts';
import { Columns } from '../../ui/layout.tsx';
import { Notice } from '../../ui/states.tsx';
import { CheckFiles } from './check-files.tsx';
import { ReceivedFacts } from './facts.tsx';
import { ReceivedFiles } from './files.tsx';
import { ReceivedText } from './text.tsx';

/** Recipients get no events for running downloads and checks. */
const pollMs = 4_000;

export default function ReceivedDetailScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const [isWatching, setWatching] = useState(false);
  const answer = useApi('getReceived', { params: { id } }, isWatching ? { everyMs: pollMs } : {});
  return (
    <ScreenLoaded query={answer}>
      {({ received }) => <Detail key={id} item={received} onWatch={setWatching} />}
    </ScreenLoaded>
  );
}

/** Refetches the count in the frame when the message is no longer new. */
function useCountRefetch(state: AppReceivedDetailBody['state']): void {
  const known = useQueryClient();
  const seen = useRef(state);
  useEffect(() => {
    if (seen.current === state) return;
    seen.current = state;
    void known.invalidateQueries({ queryKey: ['received', 'listReceived'] });
  }, [state, known]);
}

interface Props {
  item: AppReceivedDetailBody;
  onWatch: (isWatching: boolean) => void;
}

function Detail({ item, onWatch }: Props) {
  const text = useText('received');
  useCountRefetch(item.state);
  const subject = visibleText(item.subject) || text('noSubject');
  return (
    <Screen
      title={subject}
      heading={<bdi>{subject}</bdi>}
      lead={<Sender item={item} />}
      back={{ to: '/received', label: text('back') }}
    >
      {item.is_sender_confirmed ? null : <Unproven item={item} />}
      {item.state === 'expired' ? <Ended item={item} /> : null}
      <Columns
        main={
          <>
            {item.state === 'expired' ? null : <ReceivedText item={item} />}
            {item.attachments.length === 0 ? null : <ReceivedFiles item={item} onWatch={onWatch} />}
            {item.state === 'expired' ? null : (
              <CheckFiles files={item.attachments.filter(({ state }) => state !== 'removed' && state !== 'checking')} />
            )}
          </>
        }
        side={<ReceivedFacts item={item} />}
      />
    </Screen>
  );
}

/** The address of a request's answer was not typed: the request was sent to it. */
function Unproven({ item: { kind, from } }: { item: AppReceivedDetailBody }) {
  const text = useText('received');
  const address = visibleText(from.address);
  return kind === 'request' ? (
    <Notice tone="info" title={text('byLink', { address })}>
      {text('byLinkDo')}
    </Notice>
  ) : (
    <Notice tone="warning" title={text('unconfirmed')}>
      {text('unconfirmedDo', { address })}
    </Notice>
  );
}

function Sender({ item: { from } }: { item: AppReceivedDetailBody }) {
  const text = useText('received');
  const name = visibleText(from.name);
  const person = (
    <span key="person">
      <strong>
        <bdi>{name}</bdi>
      </strong>
      {from.name === from.address ? null : (
        <>
          {' · '}
          <bdi>{visibleText(from.address)}</bdi>
        </>
      )}
    </span>
  );
  return text.parts('fromPerson', { person });
}

function Ended({ item }: { item: AppReceivedDetailBody }) {
  const text = useText('received');
  const formats = useFormats();
  const values = { date: formats.longDate(item.expires_at), name: visibleText(item.from.name) };
  return (
    <Notice tone="info" title={text('expiredTitle')}>
      {text(item.attachments.length === 0 ? 'expiredNoFiles' : 'expired', values)}
    </Notice>
  );
}
