import type { PersonBody, SentMessageBody, TrackedDownloadBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { type Formats, useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useNames } from '../../../names.ts';
import { type TextKey, useText } from '../../../texts.ts';

export interface SentFormats extends Formats {
  /** `Ben and Chiara`; from five on `Ben, Chiara, Dana and 3 others`. */
  names(addresses: readonly string[]): string;
  subject(subject: string): string;
  /** `2.1 MB · Gothenburg, Sweden · Firefox on Windows`, as far as known. */
  where(download: TrackedDownloadBody): string;
  /** Either may be empty. */
  placeOf(download: { city: string; country: string }): string;
  deviceOf(visit: { browser: string; device: string }): string;
}

/** Includes removed files; empty if there is none. */
export function nameOfFile({ files, removed_files: removed }: SentMessageBody, id: unknown): string {
  return [...files, ...removed].find((file) => file.id === id)?.filename ?? '';
}

const mostNames = 4;

export function useSentFormats(): SentFormats {
  const text = useText('sent');
  const formats = useFormats();
  const people = useNames();
  const placeOf: SentFormats['placeOf'] = ({ city, country }) =>
    city !== '' && country !== '' ? text('cityIn', { city, country }) : city || country;
  const deviceOf: SentFormats['deviceOf'] = ({ browser, device }) =>
    browser !== '' && device !== '' ? text('browserOn', { browser, device }) : browser || device;
  return {
    ...formats,
    names(addresses) {
      const shown = addresses.length <= mostNames ? addresses : addresses.slice(0, mostNames - 1);
      const more = addresses.length - shown.length;
      return formats.list([...shown.map(people.of), ...(more === 0 ? [] : [text('others', { n: more })])]);
    },
    subject: (subject) => (subject.trim() === '' ? text('noSubject') : visibleText(subject)),
    placeOf,
    deviceOf,
    where(download) {
      const bytes = formats.size(download.bytes);
      const place = placeOf(download) || (download.ip === '' ? '' : text('address', { ip: download.ip }));
      const device = deviceOf(download);
      if (place !== '' && device !== '') return text('where', { bytes, place, device });
      if (place !== '') return text('wherePlace', { bytes, place });
      return device === '' ? bytes : text('whereDevice', { bytes, device });
    },
  };
}

/** Problems first, then who has it, then who has not. */
export function useStateSentences(message: SentMessageBody): string[] {
  const text = useText('sent');
  const formats = useSentFormats();
  const { can_send_mail: canMail } = useMe();
  // The notice about the review says all.
  if (message.state === 'in_review' || message.state === 'refused') return [];
  const active = message.people.filter(({ state }) => state !== 'revoked');
  const sentences = partsOf(message).flatMap(({ key, isIn }) => {
    const addresses = active.filter(isIn).map(({ address }) => address);
    if (addresses.length === 0) return [];
    const isEverybody = key === 'saysDone' && addresses.length === active.length && addresses.length > 2;
    const said = key === 'saysOnItsWay' && !canMail ? 'saysWaitingForMail' : key;
    return [text(isEverybody ? 'saysDoneAll' : said, { n: addresses.length, names: formats.names(addresses) })];
  });
  if (active.length === 0) sentences.push(text(message.people.length === 0 ? 'saysLink' : 'saysNobody'));
  if (message.others.length > 0) sentences.push(text('othersDownloaded', { n: message.others.length }));
  return sentences;
}

interface SentencePart {
  key: TextKey<'sent'>;
  isIn: (person: PersonBody) => boolean;
}

/** Each person is in exactly one. */
function partsOf(message: SentMessageBody): SentencePart[] {
  const hasFiles = message.files.length > 0;
  const isWaiting = (person: PersonBody, ...mails: PersonBody['mail']['state'][]) =>
    person.state === 'waiting' && mails.includes(person.mail.state);
  return [
    { key: 'saysProblem', isIn: ({ state }) => state === 'problem' },
    {
      key: hasFiles ? 'saysDone' : message.private_message ? 'saysRead' : 'saysReached',
      isIn: ({ state }) => state === 'done',
    },
    { key: 'saysPartly', isIn: ({ state }) => state === 'partly' },
    { key: hasFiles ? 'saysOpened' : 'saysOpenedOnly', isIn: ({ state }) => state === 'opened' },
    {
      key: message.is_open ? 'saysNotOpened' : 'saysNotDownloaded',
      isIn: (person) => person.state === 'delivered' || isWaiting(person, 'none', 'accepted', 'cancelled', 'refused'),
    },
    { key: 'saysOnItsWay', isIn: (person) => isWaiting(person, 'queued') },
    { key: 'saysDeferred', isIn: (person) => isWaiting(person, 'deferred') },
  ];
}
