import type { PersonBody, SentItemBody, SentMessageBody } from '#contract/app/messages.ts';
import { regional } from '#language/locale.ts';
import { useMe } from '../../../me.ts';
import { type Text, useLocale, useText } from '../../../texts.ts';
import { Pill, type PillTone } from '../../../ui/pill.tsx';

type Shown = Pick<SentItemBody, 'state' | 'people_count' | 'people_done' | 'expires_at' | 'private_message'> & {
  file_count: number;
};

const tones: Record<SentItemBody['state'], PillTone> = {
  in_review: 'warning',
  on_its_way: 'progress',
  partly: 'progress',
  all: 'success',
  problem: 'danger',
  ending: 'warning',
  expired: 'ended',
  refused: 'danger',
  stopped: 'ended',
};

export function StatePill({ item }: { item: Shown }) {
  const text = useText('sent');
  const locale = useLocale();
  const { today, can_send_mail: canMail } = useMe();
  const label =
    item.state === 'on_its_way' && !canMail ? text('stateWaitingForMail') : labelOf(text, locale, today, item);
  return <Pill tone={tones[item.state]}>{label}</Pill>;
}

function labelOf(text: Text<'sent'>, locale: string, today: string, item: Shown): string {
  switch (item.state) {
    case 'in_review':
      return text('stateInReview');
    case 'on_its_way':
      return text('stateSent');
    case 'partly':
      return item.people_done === 0
        ? text('stateBegun')
        : text('statePartly', { done: item.people_done, count: item.people_count });
    case 'all':
      if (item.file_count > 0) return text('stateAll');
      return text(item.private_message ? 'stateAllRead' : 'stateAllDelivered');
    case 'problem':
      return text('stateProblem');
    case 'ending':
      return item.expires_at === today
        ? text('stateEndingToday')
        : text('stateEnding', { day: weekday(locale, item.expires_at) });
    case 'expired':
      return text('stateExpired');
    case 'refused':
      return text('stateRefused');
    case 'stopped':
      return text('stateStopped');
  }
}

function weekday(locale: string, date: string): string {
  const format = new Intl.DateTimeFormat(regional(locale), { weekday: 'long', timeZone: 'UTC' });
  return format.format(new Date(`${date}T00:00:00Z`));
}

const personTones: Record<PersonBody['state'], PillTone> = {
  waiting: 'neutral',
  problem: 'danger',
  delivered: 'neutral',
  opened: 'progress',
  partly: 'progress',
  done: 'success',
  revoked: 'ended',
};

export function PersonPill({ person, message }: { person: PersonBody; message: SentMessageBody }) {
  const text = useText('sent');
  const { can_send_mail: canMail } = useMe();
  const isHeld = !canMail && person.state === 'waiting' && person.mail.state === 'queued';
  const label = isHeld ? text('stateWaitingForMail') : personLabelOf(text, person, message);
  return <Pill tone={personTones[person.state]}>{label}</Pill>;
}

function personLabelOf(text: Text<'sent'>, person: PersonBody, message: SentMessageBody): string {
  const notOpened = text(message.is_open ? 'personNotOpened' : 'personNeverOpened');
  switch (person.state) {
    case 'waiting':
      if (person.mail.state === 'queued') return text('personWaiting');
      return person.mail.state === 'deferred' ? text('personDeferred') : notOpened;
    case 'problem':
      return text('personProblem');
    case 'delivered':
      return notOpened;
    case 'opened':
      return text('personOpened');
    case 'partly':
      return text('personPartly', { done: person.files_done, count: message.files.length });
    case 'done':
      if (message.files.length > 0) return text('personDone');
      return text(message.private_message ? 'personRead' : 'personReached');
    case 'revoked':
      return text(person.replaced_by === '' ? 'personRevoked' : 'personCorrected');
  }
}
