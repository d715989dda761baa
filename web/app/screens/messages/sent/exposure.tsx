// Exactly what one person has got of a message, in sentences: for the one who asks before taking access away, and as the
// record afterwards.
import { FileCheck2, FileMinus2, type LucideIcon, Mail, MailX, ScanEye } from 'lucide-react';
import type { ExposureBody, SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { type Text, useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { useCopy } from '../../../ui/copy-field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Notice } from '../../../ui/notice.tsx';
import classes from './exposure.module.css';
import { type SentWords, useSentWords } from './words.ts';

interface Fact {
  icon: LucideIcon;
  sentence: string;
  isGot: boolean;
}

interface Props {
  exposure: ExposureBody;
  message: SentMessageBody;
  /** Recorded: with the moment it holds for, and a button that copies it. */
  isRecord: boolean;
  onStop?: () => void;
}

export function Exposure({ exposure, message, isRecord, onStop }: Props) {
  const text = useText('sent');
  const words = useSentWords();
  const { state, copy } = useCopy(text('exposureCopied'));
  const facts = factsOf(text, words, exposure, message);
  const address = visibleText(exposure.address);
  const title = isRecord
    ? text('exposureOf', { address, time: words.moment(exposure.at) })
    : text('exposureSoFar', { address });
  const headline = headlineOf(text, exposure);
  const statement = [
    text('exposureHeadline', { subject: words.subject(message.subject), id: message.id }),
    text('exposureWhen', { title, instant: exposure.at }),
    headline,
    ...facts.map(({ sentence }) => `- ${sentence}`),
  ];
  return (
    <section className={classes.exposure} aria-label={title}>
      <h3>{title}</h3>
      <p className={classes.headline}>{headline}</p>
      <ul className={classes.facts}>
        {facts.map(({ icon, sentence, isGot }) => (
          <li key={sentence} data-got={isGot}>
            <Icon of={icon} sizePx={18} />
            <span>{sentence}</span>
          </li>
        ))}
      </ul>
      {exposure.is_open_to_others && message.is_open ? (
        <Notice
          tone="warning"
          {...(onStop === undefined
            ? {}
            : {
                action: (
                  <Button size="small" variant="danger" onClick={onStop}>
                    {text('stop')}
                  </Button>
                ),
              })}
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
    </section>
  );
}

function headlineOf(text: Text<'sent'>, exposure: ExposureBody): string {
  const whole = exposure.files.filter((file) => file.whole).length;
  if (whole > 0) return text('exposureFiles', { n: whole, count: exposure.files.length });
  if (exposure.files.some(({ bytes }) => bytes > 0)) return text('exposurePart');
  if (exposure.opened_at !== null) return text('exposureOpened');
  return text(exposure.mails.length > 0 || exposure.is_mail_on_its_way ? 'exposureMail' : 'exposureNothing');
}

function factsOf(text: Text<'sent'>, words: SentWords, exposure: ExposureBody, message: SentMessageBody): Fact[] {
  const facts: Fact[] = exposure.mails.map(({ kind, accepted_at }) => ({
    icon: Mail,
    sentence: text(kind === 'reminder' ? 'exposureAcceptedReminder' : 'exposureAccepted', {
      time: words.moment(accepted_at),
    }),
    isGot: true,
  }));
  if (facts.length === 0) facts.push({ icon: MailX, sentence: text('exposureNoMail'), isGot: false });
  if (exposure.is_mail_on_its_way) facts.push({ icon: Mail, sentence: text('exposureOnItsWay'), isGot: true });
  if (exposure.mails.length > 0)
    facts.push({
      icon: exposure.names_in_mail ? Mail : MailX,
      sentence: text(exposure.names_in_mail ? 'exposureNames' : 'exposureNoNames'),
      isGot: exposure.names_in_mail,
    });
  if (exposure.text_in_mail) facts.push({ icon: Mail, sentence: text('exposureText'), isGot: true });
  facts.push(
    exposure.opened_at === null
      ? { icon: ScanEye, sentence: text('exposureNotOpened'), isGot: false }
      : { icon: ScanEye, sentence: text('exposureOpenedAt', { time: words.moment(exposure.opened_at) }), isGot: true },
  );
  if (message.private_message && exposure.read_at !== null)
    facts.push({
      icon: ScanEye,
      sentence: text('exposureReadAt', { time: words.moment(exposure.read_at) }),
      isGot: true,
    });
  return [...facts, ...exposure.files.map((file) => fileFact(text, words, file))];
}

function fileFact(text: Text<'sent'>, words: SentWords, file: ExposureBody['files'][number]): Fact {
  const name = visibleText(file.filename);
  const size = words.size(file.size);
  const whole = file.downloads.find((download) => download.whole);
  if (file.whole && whole !== undefined) {
    const place = words.placeOf(whole) || whole.ip;
    const device = words.deviceOf(whole);
    const where = place !== '' && device !== '' ? text('placeAndDevice', { place, device }) : place || device;
    const time = words.moment(whole.at);
    const sentence =
      where === ''
        ? text('exposureFileWhole', { file: name, size, time })
        : text('exposureFileWholeFrom', { file: name, size, time, where });
    return { icon: FileCheck2, sentence, isGot: true };
  }
  if (file.bytes > 0)
    return {
      icon: FileCheck2,
      sentence: text('exposureFilePart', { file: name, bytes: words.size(file.bytes), size }),
      isGot: true,
    };
  return { icon: FileMinus2, sentence: text('exposureFileNone', { file: name }), isGot: false };
}
