import { ChevronDown, ChevronUp } from 'lucide-react';
import { useId, useState } from 'react';
import type { PersonBody, SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useNames } from '../../../names.ts';
import { PersonName } from '../../../parts/person-name.tsx';
import { type Text, useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Timeline } from '../../../ui/timeline.tsx';
import { type Station, Track } from '../../../ui/track.tsx';
import type { TrackerProps } from './dialog-props.ts';
import { MailProblem, PersonMenu, StepActions } from './person-actions.tsx';
import { usePersonSteps } from './person-steps.ts';
import { PersonPill } from './pills.tsx';
import classes from './sent.module.css';
import { type SentFormats, useSentFormats } from './sent-formats.ts';

interface Props extends TrackerProps {
  person: PersonBody;
  /** Initially shows all steps: few people, or a problem. */
  isWide: boolean;
}

export function SentPerson({ person, message, isWide, openDialog, notify }: Props) {
  const text = useText('sent');
  const steps = usePersonSteps(person, message);
  const stations = useStations(person, message);
  const [isOpen, setOpen] = useState(isWide || person.state === 'problem');
  const id = useId();
  const { address, role } = person;
  const shown = useNames().of(address);
  return (
    <li className={classes.person} data-address={address}>
      <div className={classes.personTop}>
        <h3 className={classes.name}>
          <PersonName address={address} />
          {role === 'to' ? null : <span className={classes.role}>{text(role === 'cc' ? 'roleCc' : 'roleBcc')}</span>}
        </h3>
        <span className={classes.state}>
          <PersonPill person={person} message={message} />
        </span>
        <PersonMenu person={person} message={message} openDialog={openDialog} notify={notify} />
      </div>
      {person.state === 'revoked' ? null : <Track label={text('trackLabel', { address: shown })} stations={stations} />}
      <MailProblem person={person} message={message} openDialog={openDialog} />
      <Facts person={person} message={message} />
      <StepActions person={person} message={message} openDialog={openDialog} notify={notify}>
        <Button
          variant="quiet"
          size="small"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={text(isOpen ? 'hideStepsOf' : 'showStepsOf', { address: shown })}
          onClick={() => setOpen(!isOpen)}
        >
          <span className={classes.toggle}>
            {text(isOpen ? 'hideSteps' : 'showSteps')}
            <Icon of={isOpen ? ChevronUp : ChevronDown} sizePx={16} />
          </span>
        </Button>
      </StepActions>
      <div id={id} hidden={!isOpen}>
        {isOpen ? <Timeline events={steps} label={text('stepsOf', { address: shown })} /> : null}
      </div>
    </li>
  );
}

function useStations(person: PersonBody, message: SentMessageBody): Station[] {
  const text = useText('sent');
  const formats = useSentFormats();
  const when = (instant: string | null) => (instant === null ? undefined : formats.dateTime(instant));
  const first = person.mails.findLast(({ kind }) => kind === 'message') ?? person.mail;
  const mails = {
    none: { label: text('trackNoMail'), state: 'done' },
    queued: { label: text('trackMailQueued'), state: 'now' },
    deferred: { label: text('trackMailDeferred'), state: 'now' },
    accepted: { label: text('trackMail'), state: 'done' },
    refused: { label: text('trackMailRefused'), state: 'problem' },
    cancelled: { label: text('trackMailCancelled'), state: 'todo' },
  } as const;
  const hasOpened = person.opened_at !== null;
  const { length: count } = message.files;
  const isAll = person.files_done >= count;
  const stations: Station[] = [
    { id: 'mail', ...mails[first.state], note: when(first.at) },
    {
      id: 'opened',
      label: hasOpened
        ? text(person.confirmed_at === null ? 'trackOpened' : 'trackConfirmed')
        : text(message.is_open ? 'trackNotOpened' : 'trackNeverOpened'),
      state: hasOpened ? 'done' : 'todo',
      note: when(person.opened_at),
    },
  ];
  if (message.private_message)
    stations.push({
      id: 'read',
      label: person.read_at === null ? text(message.is_open ? 'trackNotRead' : 'trackNeverRead') : text('trackRead'),
      state: person.read_at === null ? 'todo' : 'done',
      note: when(person.read_at),
    });
  if (count > 0)
    stations.push({
      id: 'files',
      label: isAll ? text('trackFilesAll', { count }) : text('trackFiles', { done: person.files_done, count }),
      state: isAll ? 'done' : person.state === 'partly' ? 'now' : 'todo',
      note: when(lastDownload(person)),
    });
  return stations;
}

function lastDownload(person: PersonBody): string | null {
  const all = person.files.flatMap(({ downloads }) => downloads.map(({ at }) => at));
  return all.length === 0 ? null : all.reduce((last, at) => (at > last ? at : last));
}

function Facts({ person, message }: Pick<Props, 'person' | 'message'>) {
  const text = useText('sent');
  const formats = useSentFormats();
  const { revoked_at: revokedAt, replaced_by: address } = person;
  const ended = (at: string) =>
    address === '' ? text('revokedAt', { time: formats.dateTime(at) }) : text('replacedBy', { address });
  const facts =
    revokedAt === null
      ? [...leftFacts(text, person, message), ...reminderFacts(text, formats, person, message)]
      : [ended(revokedAt)];
  if (facts.length === 0) return null;
  return (
    <ul className={classes.facts}>
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

function leftFacts(text: Text<'sent'>, person: PersonBody, message: SentMessageBody): string[] {
  const lefts = person.files.flatMap(({ left }) => (left === null ? [] : [left]));
  const usedUp = person.files.filter(({ left }) => left === 0);
  if (!message.is_open || lefts.length === 0) return [];
  if (usedUp.length === 0 || usedUp.length === lefts.length) return [text('downloadsLeft', { n: Math.min(...lefts) })];
  const file = message.files.find(({ id }) => id === usedUp[0]?.attachment_id)?.filename ?? '';
  return [text('someUsedUp', { n: usedUp.length, file: visibleText(file) })];
}

function reminderFacts(
  text: Text<'sent'>,
  formats: SentFormats,
  person: PersonBody,
  message: SentMessageBody,
): string[] {
  const { count, last_at: lastAt, next_allowed_at: nextAt } = person.reminders;
  const isReminderUseful = message.is_open && person.state !== 'done' && person.state !== 'problem';
  if (lastAt === null) {
    const isLater = person.mail.state === 'accepted' && !message.actions.remind.includes(person.address);
    return isReminderUseful && isLater && nextAt !== null
      ? [text('remindFrom', { time: formats.dateTime(nextAt) })]
      : [];
  }
  const last = text('remindedFact', { n: count, time: formats.dateTime(lastAt) });
  if (!message.is_open || person.state === 'done') return [last];
  return [last, nextAt === null ? text('remindNoMore') : text('remindNext', { time: formats.dateTime(nextAt) })];
}
