// What happened to a sent message, newest first, filtered by kind in the address, and as a file.
import {
  Ban,
  CalendarPlus,
  Clock,
  Download,
  Eye,
  FileX2,
  Hourglass,
  ListPlus,
  type LucideIcon,
  MailCheck,
  MailX,
  Send,
  TriangleAlert,
  UserPen,
  UserPlus,
} from 'lucide-react';
import { useState } from 'react';
import type { ActivityAction, ActivityLineBody, SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useAddress } from '../../../address.ts';
import { useApi } from '../../../api.ts';
import { basePath } from '../../../host-page.ts';
import { type Text, useText } from '../../../texts.ts';
import { Button, ButtonAnchor } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Timeline, type TimelineEvent } from '../../../ui/timeline.tsx';
import classes from './activity.module.css';
import { type SentWords, useSentWords } from './words.ts';

const kinds = ['all', 'mail', 'download', 'access', 'change'] as const;
type Kind = (typeof kinds)[number];

const firstLines = 50;
const mostLines = 200;

export function SentActivity({ message }: { message: SentMessageBody }) {
  const text = useText('sent');
  const words = useSentWords();
  const { words: address, change } = useAddress();
  const kind = kinds.find((word) => word === address.kind) ?? 'all';
  const [lines, setLines] = useState(firstLines);
  const filter: Record<string, string> = kind === 'all' ? {} : { kind };
  const activity = useApi(
    'listMessageActivity',
    { params: { id: message.id }, query: { size: String(lines), ...filter } },
    { keepsLast: true },
  );
  const labels: Record<Kind, string> = {
    all: text('activityAll'),
    mail: text('activityMail'),
    download: text('activityDownload'),
    access: text('activityAccess'),
    change: text('activityChange'),
  };
  const file = (format: string) =>
    `${basePath}/app-api/messages/${message.id}/activity/export?${new URLSearchParams({ format, ...filter })}`;
  return (
    <Card>
      <div className={classes.bar}>
        <div className={classes.filter}>
          <Select
            label={text('activityShow')}
            choices={kinds.map((value) => ({ value, label: labels[value] }))}
            value={kind}
            onChange={(value) => change({ kind: value === 'all' ? undefined : value })}
          />
        </div>
        <div className={classes.exports}>
          <ButtonAnchor size="small" href={file('csv')} download>
            {text('exportCsv')}
          </ButtonAnchor>
          <ButtonAnchor size="small" href={file('json')} download>
            {text('exportJson')}
          </ButtonAnchor>
        </div>
      </div>
      {activity.data === undefined ? (
        activity.error !== null ? (
          <ErrorState error={activity.error} onRetry={() => void activity.refetch()} />
        ) : (
          <Skeleton lines={6} />
        )
      ) : activity.data.events.length === 0 ? (
        <EmptyState>{text('activityNone')}</EmptyState>
      ) : (
        <>
          <Timeline
            label={text('activityTitle')}
            events={activity.data.events.map((line) => eventOf(text, words, message, line))}
          />
          {activity.data.next === null ? null : lines < mostLines ? (
            <Button onClick={() => setLines(mostLines)}>{text('activityMore')}</Button>
          ) : (
            <p className={classes.more}>{text('activityTooMany', { n: activity.data.events.length })}</p>
          )}
        </>
      )}
    </Card>
  );
}

interface Look {
  icon: LucideIcon;
  tone?: TimelineEvent['tone'];
}

const looks: Record<ActivityAction, Look> = {
  'message.sent': { icon: Send },
  'message.expired': { icon: Hourglass },
  'message.revoked': { icon: Ban, tone: 'danger' },
  'message.files_deleted': { icon: FileX2, tone: 'danger' },
  'message.extended': { icon: CalendarPlus },
  'message.downloads_allowed': { icon: ListPlus },
  'message.reminded': { icon: Send },
  'message.resent': { icon: Send },
  'message.recipient_added': { icon: UserPlus },
  'message.recipient_corrected': { icon: UserPen },
  'message.recipient_revoked': { icon: Ban, tone: 'warning' },
  'message.wrong_recipient': { icon: TriangleAlert, tone: 'danger' },
  'mail.accepted': { icon: MailCheck, tone: 'success' },
  'mail.refused': { icon: MailX, tone: 'danger' },
  'mail.deferred': { icon: Clock, tone: 'warning' },
  'message.opened': { icon: Eye },
  'message.read': { icon: Eye, tone: 'success' },
  'file.downloaded': { icon: Download, tone: 'success' },
};

function eventOf(
  text: Text<'sent'>,
  words: SentWords,
  message: SentMessageBody,
  line: ActivityLineBody,
): TimelineEvent {
  const { words: serverWords } = line.facts;
  return {
    id: line.id,
    ...((looks as Partial<typeof looks>)[line.action] ?? { icon: Clock }),
    sentence: sentenceOf(text, words, message, line),
    time: words.moment(line.at),
    instant: line.at,
    ...(typeof serverWords === 'string' && serverWords !== ''
      ? { details: text('serverSaid', { words: visibleText(serverWords) }) }
      : {}),
  };
}

function sentenceOf(text: Text<'sent'>, words: SentWords, message: SentMessageBody, line: ActivityLineBody): string {
  const { action, facts, actor } = line;
  const address = visibleText(line.address);
  const word = (name: string) => (typeof facts[name] === 'string' ? facts[name] : '');
  const count = (name: string) => (typeof facts[name] === 'number' ? facts[name] : 0);
  const fileName = () => visibleText(message.files.find(({ id }) => id === facts.attachment)?.filename ?? '');
  const isReminder = facts.kind === 'reminder';
  const said: Record<ActivityAction, () => string> = {
    'message.sent': () => text('didSent', { n: count('recipients'), mailed: facts.mailed === true ? 'yes' : 'no' }),
    'message.expired': () => text('didExpired'),
    'message.revoked': () => text('didRevoked', { actor }),
    'message.files_deleted': () => text('didFilesDeleted', { actor }),
    'message.extended': () => text('didExtended', { actor, date: words.day(word('to')) }),
    'message.downloads_allowed': () =>
      address === ''
        ? text('didAllowed', { n: count('limit') })
        : text('didAllowedOne', { n: count('limit'), address }),
    'message.reminded': () => text('didReminded', { address }),
    'message.resent': () => text('didResent', { address }),
    'message.recipient_added': () => text('didAdded', { address }),
    'message.recipient_corrected': () => text('didCorrected', { address, to: visibleText(word('to')) }),
    'message.recipient_revoked': () => text('didRevokedOne', { address }),
    'message.wrong_recipient': () => text('didWrong', { address }),
    'mail.accepted': () => text(isReminder ? 'didReminderAccepted' : 'didAccepted', { address }),
    'mail.refused': () => text('didRefused', { address }),
    'mail.deferred': () => text('didDeferred', { address }),
    'message.opened': () => text('didOpened', { address }),
    'message.read': () => text('didRead', { address }),
    'file.downloaded': () =>
      address === ''
        ? text('didDownloadedUnknown', { file: fileName() })
        : text('didDownloaded', { address, file: fileName() }),
  };
  // A page opened before an upgrade may meet a kind that it has no words for.
  return (said as Partial<typeof said>)[action]?.() ?? action;
}
