// S4 of the experience brief: one thing that came, with what its page shows (R1). Looking spends nothing and tells nobody;
// only the presses do.
import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import type { AppReceivedDetailBody } from '#contract/app/received.ts';
import { longDate } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { Screen } from '../../parts/screen.tsx';
import { ScreenFailed, ScreenLoading } from '../../parts/screen-states.tsx';
import { useLocale, useText } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { CheckFiles } from './check-files.tsx';
import classes from './detail.module.css';
import { ReceivedFacts } from './facts.tsx';
import { ReceivedFiles } from './files.tsx';
import { ReceivedText } from './text.tsx';

/** While a download runs or a file is checked, nobody tells the recipient but a look. */
const lookAgainMs = 4_000;

export default function ReceivedDetailScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const [isWatching, setWatching] = useState(false);
  const answer = useApi('getReceived', { params: { id } }, isWatching ? { everyMs: lookAgainMs } : {});
  if (answer.data === undefined)
    return answer.error ? <ScreenFailed error={answer.error} reset={() => answer.refetch()} /> : <ScreenLoading />;
  return <Detail key={id} item={answer.data.received} onWatch={setWatching} />;
}

interface Props {
  item: AppReceivedDetailBody;
  onWatch: (isWatching: boolean) => void;
}

function Detail({ item, onWatch }: Props) {
  const text = useText('received');
  const subject = visibleText(item.subject) || text('noSubject');
  return (
    <Screen
      title={subject}
      heading={<bdi className={classes.heading}>{subject}</bdi>}
      lead={<Sender item={item} />}
      back={
        <Link to="/received" className={classes.back}>
          <Icon of={ArrowLeft} sizePx={16} /> {text('back')}
        </Link>
      }
    >
      {item.is_sender_confirmed ? null : (
        <Notice tone="warning" title={text('unconfirmed')}>
          {text('unconfirmedDo', { address: visibleText(item.from.address) })}
        </Notice>
      )}
      {item.state === 'expired' ? <Ended item={item} /> : null}
      <div className={classes.columns}>
        <div className={classes.main}>
          {item.state === 'expired' ? null : <ReceivedText item={item} />}
          {item.attachments.length === 0 ? null : <ReceivedFiles item={item} onWatch={onWatch} />}
          {item.state === 'expired' ? null : (
            <CheckFiles files={item.attachments.filter(({ state }) => state !== 'removed' && state !== 'checking')} />
          )}
        </div>
        <ReceivedFacts item={item} />
      </div>
    </Screen>
  );
}

function Sender({ item: { from } }: { item: AppReceivedDetailBody }) {
  const text = useText('received');
  const name = visibleText(from.name);
  const person = (
    <span key="person">
      <bdi className={classes.name}>{name}</bdi>
      {from.name === from.address ? null : (
        <>
          {' · '}
          <bdi>{visibleText(from.address)}</bdi>
        </>
      )}
    </span>
  );
  return <span className={classes.sender}>{text.parts('fromPerson', { person })}</span>;
}

function Ended({ item }: { item: AppReceivedDetailBody }) {
  const text = useText('received');
  const locale = useLocale();
  const values = { date: longDate(locale, item.expires_at), name: visibleText(item.from.name) };
  return (
    <Notice tone="info" title={text('expiredTitle')}>
      {text(item.attachments.length === 0 ? 'expiredNoFiles' : 'expired', values)}
    </Notice>
  );
}
