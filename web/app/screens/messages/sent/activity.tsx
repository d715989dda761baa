// Filtered by kind in the URL.

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
import { useApi } from '../../../api.ts';
import { basePath } from '../../../host-page.ts';
import { useSearchParams } from '../../../search-params.ts';
import { type Text, type TextKey, useText } from '../../../texts.ts';
import { Button, ButtonAnchor } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { Timeline, type TimelineEvent } from '../../../ui/timeline.tsx';
import { nameOfFile, type SentFormats, useSentFormats } from './sent-formats.ts';

const kinds = ['all', 'mail', 'download', 'access', 'change'] as const;
type Kind = (typeof kinds)[number];

const firstLines = 50;
const mostLines = 200;

const labels: Record<Kind, TextKey<'sent'>> = {
  all: 'activityAll',
  mail: 'activityMail',
  download: 'activityDownload',
  access: 'activityAccess',
  change: 'activityChange',
};

export function SentActivity({ message }: { message: SentMessageBody }) {
  const text = useText('sent');
  const { params, change } = useSearchParams();
  const kind = kinds.find((fact) => fact === params.kind) ?? 'all';
  const filter: Record<string, string> = kind === 'all' ? {} : { kind };
  const file = (format: string) =>
    `${basePath}/app-api/messages/${message.id}/activity/export?${new URLSearchParams({ format, ...filter })}`;
  return (
    <Card>
      <Stack gap={20}>
        <Row isSpread>
          <Select
            label={text('activityShow')}
            choices={kinds.map((value) => ({ value, label: text(labels[value]) }))}
            value={kind}
            onChange={(value) => change({ kind: value === 'all' ? undefined : value })}
          />
          <Row>
            <ButtonAnchor size="small" href={file('csv')} download>
              {text('exportCsv')}
            </ButtonAnchor>
            <ButtonAnchor size="small" href={file('json')} download>
              {text('exportJson')}
            </ButtonAnchor>
          </Row>
        </Row>
        <Events message={message} filter={filter} />
      </Stack>
    </Card>
  );
}

function Events({ message, filter }: { message: SentMessageBody; filter: Record<string, string> }) {
  const text = useText('sent');
  const formats = useSentFormats();
  const [lines, setLines] = useState(firstLines);
  const query = { size: String(lines), ...filter };
  const activity = useApi('listMessageActivity', { params: { id: message.id }, query }, { keepsLast: true });
  return (
    <Loaded query={activity} lines={6}>
      {({ events, next }) =>
        events.length === 0 ? (
          <EmptyState>{text('activityNone')}</EmptyState>
        ) : (
          <>
            <Timeline
              label={text('activityTitle')}
              events={events.map((line) => eventOf(text, formats, message, line))}
            />
            {next === null ? null : lines < mostLines ? (
              <div>
                <Button onClick={() => setLines(mostLines)}>{text('activityMore')}</Button>
              </div>
            ) : (
              <Muted>{text('activityTooMany', { n: events.length })}</Muted>
            )}
          </>
        )
      }
    </Loaded>
  );
}

interface LineStyle {
  icon: LucideIcon;
  tone?: TimelineEvent['tone'];
}

const lineStyles: Record<ActivityAction, LineStyle> = {
  'message.sent': { icon: Send },
  'message.expired': { icon: Hourglass },
  'message.review_requested': { icon: Clock },
  'message.review_released': { icon: Eye, tone: 'success' },
  'message.review_refused': { icon: Ban, tone: 'danger' },
  'message.revoked': { icon: Ban, tone: 'danger' },
  'message.files_deleted': { icon: FileX2, tone: 'danger' },
  'message.file_removed': { icon: FileX2, tone: 'warning' },
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
  formats: SentFormats,
  message: SentMessageBody,
  line: ActivityLineBody,
): TimelineEvent {
  const { words: serverText } = line.facts;
  return {
    id: line.id,
    ...((lineStyles as Partial<typeof lineStyles>)[line.action] ?? { icon: Clock }),
    sentence: sentenceOf(text, formats, message, line),
    time: formats.dateTime(line.at),
    instant: line.at,
    details:
      typeof serverText === 'string' && serverText !== ''
        ? text('serverSaid', { words: visibleText(serverText) })
        : undefined,
  };
}

function sentenceOf(
  text: Text<'sent'>,
  formats: SentFormats,
  message: SentMessageBody,
  line: ActivityLineBody,
): string {
  const { action, facts, actor } = line;
  const address = line.address === '' ? '' : formats.names([line.address]);
  const fact = (name: string) => (typeof facts[name] === 'string' ? facts[name] : '');
  const count = (name: string) => (typeof facts[name] === 'number' ? facts[name] : 0);
  const fileName = () => visibleText(nameOfFile(message, facts.attachment));
  const isReminder = facts.kind === 'reminder';
  const sentences: Record<ActivityAction, () => string> = {
    'message.sent': () => text('didSent', { n: count('recipients'), mailed: facts.mailed === true ? 'yes' : 'no' }),
    'message.expired': () => text('didExpired'),
    'message.review_requested': () => text('didAskReview'),
    'message.review_released': () => text('didReleaseReview'),
    'message.review_refused': () => text('didRefuseReview', { reason: visibleText(fact('reason')) }),
    'message.revoked': () => text('didRevoked', { actor }),
    'message.files_deleted': () => text('didFilesDeleted', { actor }),
    'message.file_removed': () => text('didFileRemoved', { file: fileName() }),
    'message.extended': () => text('didExtended', { actor, date: formats.longDate(fact('to')) }),
    'message.downloads_allowed': () =>
      address === ''
        ? text('didAllowed', { n: count('limit') })
        : text('didAllowedOne', { n: count('limit'), address }),
    'message.reminded': () => text('didReminded', { address }),
    'message.resent': () => text('didResent', { address }),
    'message.recipient_added': () => text('didAdded', { address }),
    'message.recipient_corrected': () => text('didCorrected', { address, to: visibleText(fact('to')) }),
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
  // An old page may receive a kind without a text.
  return (sentences as Partial<typeof sentences>)[action]?.() ?? action;
}
