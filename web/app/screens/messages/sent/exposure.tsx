// Shown before access is taken away and as the record afterwards.

import { FileCheck2, FileMinus2, type LucideIcon, Mail, MailX, ScanEye } from 'lucide-react';
import type { ExposureBody, SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useNames } from '../../../names.ts';
import { type Text, useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { useCopy } from '../../../ui/copy-field.tsx';
import { Note, Stack } from '../../../ui/layout.tsx';
import { Notice } from '../../../ui/states.tsx';
import classes from './sent.module.css';
import { type SentFormats, useSentFormats } from './sent-formats.ts';

interface Fact {
  icon: LucideIcon;
  sentence: string;
  hasContent: boolean;
}

interface Props {
  exposure: ExposureBody;
  message: SentMessageBody;
  isRecord: boolean;
  onStop?: () => void;
}

export function Exposure({ exposure, message, isRecord, onStop }: Props) {
  const text = useText('sent');
  const formats = useSentFormats();
  const { state, copy } = useCopy(text('exposureCopied'));
  const facts = factsOf(text, formats, exposure, message);
  const address = useNames().full(exposure.address);
  const title = isRecord
    ? text('exposureOf', { address, time: formats.dateTime(exposure.at) })
    : text('exposureSoFar', { address });
  const headline = headlineOf(text, exposure);
  const statement = [
    text('exposureHeadline', { subject: formats.subject(message.subject), id: message.id }),
    text('exposureWhen', { title, instant: exposure.at }),
    headline,
    ...facts.map(({ sentence }) => `- ${sentence}`),
  ];
  return (
    <Stack as="section" gap={12} label={title}>
      <h3>{title}</h3>
      <p className={classes.headline}>{headline}</p>
      <Stack as="ul" gap={8}>
        {facts.map(({ icon, sentence, hasContent }) => (
          <Note key={sentence} as="li" icon={icon} tone={hasContent ? 'alert' : 'muted'}>
            {sentence}
          </Note>
        ))}
      </Stack>
      {exposure.is_open_to_others && message.is_open ? (
        <Notice
          tone="warning"
          action={
            onStop === undefined ? undefined : (
              <Button size="small" variant="danger" onClick={onStop}>
                {text('stop')}
              </Button>
            )
          }
        >
          {text('exposureStrangers')}
        </Notice>
      ) : null}
      {isRecord ? (
        <div>
          <Button size="small" onClick={() => void copy(statement.join('\n'))}>
            {state === 'copied' ? text('copiedLink') : text('exposureCopy')}
          </Button>
        </div>
      ) : null}
    </Stack>
  );
}

function headlineOf(text: Text<'sent'>, exposure: ExposureBody): string {
  const whole = exposure.files.filter((file) => file.whole).length;
  if (whole > 0) return text('exposureFiles', { n: whole, count: exposure.files.length });
  if (exposure.files.some(({ bytes }) => bytes > 0)) return text('exposurePart');
  if (exposure.opened_at !== null) return text('exposureOpened');
  return text(exposure.mails.length > 0 || exposure.is_mail_on_its_way ? 'exposureMail' : 'exposureNothing');
}

function factsOf(text: Text<'sent'>, formats: SentFormats, exposure: ExposureBody, message: SentMessageBody): Fact[] {
  const { mails, opened_at: openedAt, read_at: readAt, names_in_mail: hasNames } = exposure;
  const withContent = (icon: LucideIcon, sentence: string): Fact => ({ icon, sentence, hasContent: true });
  const withoutContent = (icon: LucideIcon, sentence: string): Fact => ({ icon, sentence, hasContent: false });
  const accepted = mails.map(({ kind, accepted_at }) =>
    withContent(
      Mail,
      text(kind === 'reminder' ? 'exposureAcceptedReminder' : 'exposureAccepted', {
        time: formats.dateTime(accepted_at),
      }),
    ),
  );
  return [
    ...(mails.length === 0 ? [withoutContent(MailX, text('exposureNoMail'))] : accepted),
    ...(exposure.is_mail_on_its_way ? [withContent(Mail, text('exposureOnItsWay'))] : []),
    ...(mails.length > 0
      ? [hasNames ? withContent(Mail, text('exposureNames')) : withoutContent(MailX, text('exposureNoNames'))]
      : []),
    ...(exposure.text_in_mail ? [withContent(Mail, text('exposureText'))] : []),
    openedAt === null
      ? withoutContent(ScanEye, text('exposureNotOpened'))
      : withContent(ScanEye, text('exposureOpenedAt', { time: formats.dateTime(openedAt) })),
    ...(message.private_message && readAt !== null
      ? [withContent(ScanEye, text('exposureReadAt', { time: formats.dateTime(readAt) }))]
      : []),
    ...exposure.files.map((file) => fileFact(text, formats, file)),
  ];
}

function fileFact(text: Text<'sent'>, formats: SentFormats, file: ExposureBody['files'][number]): Fact {
  const name = visibleText(file.filename);
  const size = formats.size(file.size);
  const whole = file.downloads.find((download) => download.whole);
  if (file.whole && whole !== undefined) {
    const place = formats.placeOf(whole) || whole.ip;
    const device = formats.deviceOf(whole);
    const where = place !== '' && device !== '' ? text('placeAndDevice', { place, device }) : place || device;
    const values = { file: name, size, time: formats.dateTime(whole.at), where };
    const sentence = text(where === '' ? 'exposureFileWhole' : 'exposureFileWholeFrom', values);
    return { icon: FileCheck2, sentence, hasContent: true };
  }
  const bytes = formats.size(file.bytes);
  return file.bytes > 0
    ? { icon: FileCheck2, sentence: text('exposureFilePart', { file: name, bytes, size }), hasContent: true }
    : { icon: FileMinus2, sentence: text('exposureFileNone', { file: name }), hasContent: false };
}
