// A timeline of one message to one person, oldest first.
import {
  Ban,
  Clock,
  Download,
  Eye,
  type LucideIcon,
  Mail,
  MailCheck,
  MailX,
  PackageCheck,
  PackageOpen,
  UserPen,
} from 'lucide-react';
import type { PersonBody, SentMessageBody, TrackedDownloadBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { type Text, useText } from '../../../texts.ts';
import type { TimelineEvent } from '../../../ui/timeline.tsx';
import { type SentFormats, useSentFormats } from './sent-formats.ts';

interface Step {
  at: string;
  icon: LucideIcon;
  sentence: string;
  tone?: TimelineEvent['tone'];
  details?: string;
}

export function usePersonSteps(person: PersonBody, message: SentMessageBody): TimelineEvent[] {
  const text = useText('sent');
  const formats = useSentFormats();
  const steps = [
    ...person.mails.flatMap((mail) => mailSteps(text, formats, mail)),
    ...pageSteps(text, person),
    ...[...person.files, ...person.removed_files].flatMap((file) => {
      const sent = [...message.files, ...message.removed_files].find(({ id }) => id === file.attachment_id);
      if (sent === undefined) return [];
      return file.downloads.map((download) => downloadStep(text, formats, sent, download));
    }),
    ...endSteps(text, person),
  ];
  if (person.mails.length === 0) steps.unshift({ at: message.sent_at, icon: Mail, sentence: text('stepNoMail') });
  return steps
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ at, icon, sentence, tone, details }, index) => ({
      id: String(index),
      icon,
      sentence,
      time: formats.dateTime(at),
      instant: at,
      ...(tone === undefined ? {} : { tone }),
      ...(details === undefined || details === '' ? {} : { details }),
    }));
}

function mailSteps(text: Text<'sent'>, formats: SentFormats, mail: PersonBody['mails'][number]): Step[] {
  const isReminder = mail.kind === 'reminder';
  const at = mail.at ?? mail.queued_at;
  const details = mail.server_words === '' ? '' : text('serverSaid', { words: visibleText(mail.server_words) });
  const queued: Step = {
    at: mail.queued_at,
    icon: Mail,
    sentence: text(isReminder ? 'stepReminderQueued' : 'stepQueued'),
  };
  switch (mail.state) {
    case 'accepted': {
      const sentence = text(isReminder ? 'stepReminderAccepted' : 'stepAccepted');
      return [queued, { at, icon: MailCheck, sentence, tone: 'success', details }];
    }
    case 'refused': {
      const sentence = text(isReminder ? 'stepReminderRefused' : 'stepRefused');
      return [queued, { at, icon: MailX, sentence, tone: 'danger', details }];
    }
    case 'deferred': {
      const time = mail.next_at === null ? '' : formats.dateTime(mail.next_at);
      const sentence = text('stepDeferred', { n: mail.attempts, time });
      return [queued, { at, icon: Clock, sentence, tone: 'warning', details }];
    }
    case 'cancelled':
      return [queued, { at, icon: Ban, sentence: text('stepCancelled') }];
    default:
      return [queued];
  }
}

function pageSteps(text: Text<'sent'>, person: PersonBody): Step[] {
  const steps: Step[] = [];
  if (person.opened_at !== null) {
    const sentence = text(person.confirmed_at === null ? 'stepOpened' : 'stepConfirmed');
    steps.push({ at: person.opened_at, icon: Eye, sentence, tone: 'success' });
  }
  if (person.read_at !== null)
    steps.push({ at: person.read_at, icon: PackageOpen, sentence: text('stepRead'), tone: 'success' });
  return steps;
}

function downloadStep(
  text: Text<'sent'>,
  formats: SentFormats,
  sent: SentMessageBody['files'][number],
  download: TrackedDownloadBody,
): Step {
  const file = visibleText(sent.filename);
  const { at } = download;
  const details = formats.where(download);
  if (download.whole)
    return { at, icon: PackageCheck, sentence: text('stepWhole', { file }), tone: 'success', details };
  if (download.is_running) return { at, icon: Download, sentence: text('stepRunning', { file }), details };
  const sentence = text('stepPart', { file, bytes: formats.size(download.bytes), size: formats.size(sent.size) });
  return { at, icon: Download, sentence, tone: 'warning', details };
}

function endSteps(text: Text<'sent'>, person: PersonBody): Step[] {
  if (person.revoked_at === null) return [];
  if (person.replaced_by === '') return [{ at: person.revoked_at, icon: Ban, sentence: text('stepRevoked') }];
  const sentence = text('stepCorrected', { address: person.replaced_by });
  return [{ at: person.revoked_at, icon: UserPen, sentence }];
}
