// Everybody a sent message has to do with: its people, others who downloaded, visits nobody knows, mail scanners apart.
import { Bot, CircleHelp, Globe, type LucideIcon, UserPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { SentAsk } from './dialogs.tsx';
import { Exposure } from './exposure.tsx';
import classes from './people.module.css';
import { SentPerson } from './person.tsx';
import { useSentWords } from './words.ts';

interface Props {
  message: SentMessageBody;
  ask: (ask: SentAsk) => void;
  tell: (sentence: string) => void;
}

/** With so many, every step of each is open from the start. */
const fewPeople = 2;

export function SentPeople({ message, ask, tell }: Props) {
  const text = useText('sent');
  const active = message.people.filter(({ state }) => state !== 'revoked');
  const former = message.people.filter(({ state }) => state === 'revoked');
  const common = { message, ask, tell };
  return (
    <div className={classes.parts}>
      {active.length === 0 && former.length > 0 && !message.actions.add_recipient ? null : (
        <Card isFlush>
          <div className={classes.bar}>
            <h2 className={classes.count}>
              {text('peopleProgress', { count: active.length, done: message.people_done })}
            </h2>
            {message.actions.add_recipient ? (
              <Button size="small" icon={UserPlus} onClick={() => ask({ kind: 'add' })}>
                {text('addRecipient')}
              </Button>
            ) : null}
          </div>
          {active.length === 0 ? (
            <EmptyState>{text(message.people.length === 0 ? 'noPeople' : 'saysNobody')}</EmptyState>
          ) : (
            <ul className={classes.people} aria-label={text('people')}>
              {active.map((person) => (
                <SentPerson key={person.address} person={person} isWide={active.length <= fewPeople} {...common} />
              ))}
            </ul>
          )}
        </Card>
      )}
      {former.length === 0 ? null : (
        <Card title={text('formerPeople', { n: former.length })} isFlush>
          <ul className={classes.people}>
            {former.map((person) => (
              <SentPerson key={person.address} person={person} isWide={false} {...common} />
            ))}
          </ul>
        </Card>
      )}
      {message.exposures.length === 0 ? null : (
        <Card title={text('exposuresTitle')}>
          <div className={classes.parts}>
            {message.exposures.map((exposure) => (
              <Exposure
                key={`${exposure.address} ${exposure.at}`}
                exposure={exposure}
                message={message}
                isRecord
                onStop={() => ask({ kind: 'stop' })}
              />
            ))}
          </div>
        </Card>
      )}
      <Others message={message} />
      <Visits title={text('visitsTitle')} help={text('visitsHelp')} icon={CircleHelp} visits={message.visits} />
      <Visits title={text('scannersTitle')} help={text('scannersHelp')} icon={Bot} visits={message.scanners} />
    </div>
  );
}

function Others({ message }: { message: SentMessageBody }) {
  const text = useText('sent');
  const words = useSentWords();
  if (message.others.length === 0) return null;
  return (
    <Card title={text('otherTitle')}>
      <p className={classes.help}>{text('otherHelp')}</p>
      <ul className={classes.lines}>
        {message.others.map(({ address, downloads }) => (
          <Line
            key={address}
            icon={Globe}
            title={address === '' ? text('otherUnknown') : visibleText(address)}
            notes={downloads.map(({ filename, download }) => ({
              id: String(download.id),
              what: text(download.whole ? 'otherWhole' : 'otherPart', {
                file: visibleText(filename),
                bytes: words.size(download.bytes),
              }),
              note: `${words.moment(download.at)} · ${words.where(download)}`,
            }))}
          />
        ))}
      </ul>
    </Card>
  );
}

interface VisitsProps {
  title: string;
  help: string;
  icon: LucideIcon;
  visits: SentMessageBody['visits'];
}

function Visits({ title, help, icon, visits }: VisitsProps) {
  const text = useText('sent');
  const words = useSentWords();
  if (visits.length === 0) return null;
  return (
    <Card title={title}>
      <p className={classes.help}>{help}</p>
      <ul className={classes.lines}>
        {visits.map((visit) => {
          const who = visibleText(words.deviceOf(visit)) || text('visitUnknown');
          const place = words.placeOf({ city: '', country: visit.country });
          const network = visit.network === '' ? '' : text('visitNetwork', { network: visit.network });
          const facts = [words.moment(visit.first_at), place, network];
          if (visit.count > 1) facts.splice(1, 0, text('visitLast', { time: words.moment(visit.last_at) }));
          return (
            <Line
              key={`${visit.first_at} ${visit.network} ${who}`}
              icon={icon}
              title={text('visit', { n: visit.count, who })}
              notes={[{ id: 'note', what: '', note: facts.filter((fact) => fact !== '').join(' · ') }]}
            />
          );
        })}
      </ul>
    </Card>
  );
}

interface LineProps {
  icon: LucideIcon;
  title: ReactNode;
  notes: { id: string; what: string; note: string }[];
}

function Line({ icon, title, notes }: LineProps) {
  return (
    <li className={classes.line}>
      <Icon of={icon} sizePx={18} />
      <div>
        <strong>{title}</strong>
        {notes.map(({ id, what, note }) => (
          <div key={id}>
            {what === '' ? null : <div>{what}</div>}
            <div className={classes.note}>{note}</div>
          </div>
        ))}
      </div>
    </li>
  );
}
