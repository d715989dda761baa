import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { PersonBody, SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useNames } from '../../../names.ts';
import { type Text, useText } from '../../../texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { Timeline } from '../../../ui/timeline.tsx';
import { type Station, Track } from '../../../ui/track.tsx';
import type { TrackerProps } from './dialog-props.ts';
import classes from './people.module.css';
import { MailProblem, PersonMenu, QuickAction } from './person-actions.tsx';
import { usePersonSteps } from './person-steps.ts';
import { PersonPill } from './pills.tsx';
import { type SentFormats, useSentFormats } from './sent-formats.ts';

interface Props extends TrackerProps {
  person: PersonBody;
  isNarrow: boolean;
  isOpenAtFirst: boolean;
}

export function SentPerson({ person, message, isNarrow, isOpenAtFirst, openDialog, notify }: Props) {
  const text = useText('sent');
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  const { address } = person;
  const shown = useNames().of(address);
  const common = { person, message, openDialog, notify };
  const status = <Status person={person} message={message} />;
  return (
    <tbody data-address={address}>
      <tr>
        <td className={classes.expander}>
          <IconButton
            icon={isOpen ? ChevronDown : ChevronRight}
            label={text(isOpen ? 'hideStepsOf' : 'showStepsOf', { address: shown })}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          />
        </td>
        <th scope="row">
          <Recipient person={person} isNarrow={isNarrow} />
          {isNarrow ? status : null}
        </th>
        {isNarrow ? null : (
          <>
            <td>{status}</td>
            <td className={classes.files}>{filesOf(text, person, message)}</td>
            <td className={classes.quick}>
              <QuickAction {...common} />
            </td>
          </>
        )}
        <td className={classes.menu}>
          <PersonMenu {...common} />
        </td>
      </tr>
      <tr id={id} hidden={!isOpen}>
        {isOpen ? (
          <td colSpan={isNarrow ? 3 : 6} className={classes.details}>
            <Details {...common} />
          </td>
        ) : null}
      </tr>
    </tbody>
  );
}

function Recipient({ person: { address, role }, isNarrow }: { person: PersonBody; isNarrow: boolean }) {
  const text = useText('sent');
  const names = useNames();
  const below = names.addressBelow(address);
  return (
    <>
      <div className={classes.line}>
        <bdi title={names.full(address)}>{names.name(address)}</bdi>
        {role === 'to' ? null : <span className={classes.role}>{text(role === 'cc' ? 'roleCc' : 'roleBcc')}</span>}
      </div>
      {below === null || isNarrow ? null : (
        <div className={classes.under}>
          <bdi>{below}</bdi>
        </div>
      )}
    </>
  );
}

function Status({ person, message }: { person: PersonBody; message: SentMessageBody }) {
  const note = useNote(person);
  return (
    <div className={classes.state}>
      <PersonPill person={person} message={message} />
      {note === '' ? null : <span className={classes.under}>{note}</span>}
    </div>
  );
}

/** When the state began. */
function useNote(person: PersonBody): string {
  const formats = useSentFormats();
  const at =
    person.state === 'revoked'
      ? person.revoked_at
      : (lastDownload(person) ?? person.read_at ?? person.opened_at ?? person.mail.at);
  return at === null ? '' : formats.dateTime(at);
}

function filesOf(text: Text<'sent'>, { files_done: done }: PersonBody, { files }: SentMessageBody): string {
  return files.length === 0 ? '' : text('progressShort', { done, count: files.length });
}

function Details(props: TrackerProps & { person: PersonBody }) {
  const { person, message, openDialog } = props;
  const text = useText('sent');
  const steps = usePersonSteps(person, message);
  const stations = useStations(person, message);
  const names = useNames();
  const shown = names.of(person.address);
  const below = names.addressBelow(person.address);
  return (
    <Stack>
      {below === null ? null : (
        <Muted>
          <bdi>{below}</bdi>
        </Muted>
      )}
      {person.state === 'revoked' ? null : <Track label={text('trackLabel', { address: shown })} stations={stations} />}
      <MailProblem person={person} message={message} openDialog={openDialog} />
      <Facts person={person} message={message} />
      <Timeline events={steps} label={text('stepsOf', { address: shown })} />
    </Stack>
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

function Facts({ person, message }: { person: PersonBody; message: SentMessageBody }) {
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
