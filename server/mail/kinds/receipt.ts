import type { Block, Fact } from '../blocks.ts';
import type { Texts } from '../text.ts';
import type { EveryMail, Kind } from './kind.ts';
import { ben, sampleInstant, sampleReference, sampleSubject } from './samples.ts';

export interface ReceiptDownload {
  /** Name or address; null if no address was required. */
  who: string | null;
  fileName: string;
  at: number;
  /** `Stockholm, Sweden`; null if unknown. */
  place: string | null;
  /** `Firefox on Windows`; null if unknown. */
  device: string | null;
}

export interface ReceiptPayload extends EveryMail {
  /** A message has recipients who may be missing; a link has none. */
  about: 'message' | 'link';
  /** Visitors prove no address, so nobody is known to be missing. */
  isOpenToAnyone?: boolean;
  subject: string;
  /** At least one, oldest first. */
  downloads: ReceiptDownload[];
  /** The message or link in the app. */
  url: string;
}

export const receiptKind: Kind<ReceiptPayload> = {
  headerClass: 'receipt',
  traits: ['reportsPastEvent'],
  notice: 'receipts',
  defaults: { subject: 'mail.receiptSubject', intro: null, closing: null },
  sample: {
    reference: sampleReference,
    about: 'message',
    subject: sampleSubject,
    downloads: [
      {
        who: ben.name,
        fileName: 'Cost-sheet-2026-11.xlsx',
        at: sampleInstant,
        place: 'Gothenburg, Sweden',
        device: 'Firefox on Windows',
      },
    ],
    url: `https://files.northlight.example/app/sent/${sampleReference}`,
    threadMessageId: '<copy-Zk3pQ8@northlight.example>',
  },
  compose(payload, texts, sender) {
    const [first, ...rest] = payload.downloads;
    if (first === undefined) throw new TypeError('a receipt needs a download');
    const who = first.who ?? texts.say('mail.someone');
    const downloadCount = payload.downloads.length;
    const summary =
      rest.length === 0
        ? texts.say('mail.receiptOne', { who, file: first.fileName })
        : texts.say('mail.receiptMany', { downloadCount, subject: payload.subject });
    const variables = { summary, subject: payload.subject, downloadCount, who, file: first.fileName };
    const blocks: Block[] = [
      rest.length === 0
        ? { type: 'facts', facts: singleFacts(first, payload, texts) }
        : { type: 'entries', entries: payload.downloads.map((download) => entryOf(download, texts)) },
      {
        type: 'button',
        label: texts.say(
          payload.about === 'link' || payload.isOpenToAnyone ? 'mail.receiptButtonAll' : 'mail.receiptButton',
        ),
        url: payload.url,
      },
    ];
    return {
      variables,
      heading: summary,
      preheader: rest.length === 0 ? detailOf(first, texts) : '',
      why: texts.say('mail.receiptWhy', { ...sender }),
      blocks,
    };
  },
};

function singleFacts(download: ReceiptDownload, payload: ReceiptPayload, texts: Texts): Fact[] {
  const facts: Fact[] = [{ label: texts.say('mail.labelWhen'), value: texts.time(download.at) }];
  if (download.place !== null) facts.push({ label: texts.say('mail.labelWhere'), value: download.place });
  if (download.device !== null) facts.push({ label: texts.say('mail.labelDevice'), value: download.device });
  if (payload.about === 'message') facts.push({ label: texts.say('mail.labelMessage'), value: payload.subject });
  return facts;
}

function entryOf(download: ReceiptDownload, texts: Texts): { title: string; detail: string } {
  const who = download.who ?? texts.say('mail.someone');
  return { title: texts.say('mail.receiptOne', { who, file: download.fileName }), detail: detailOf(download, texts) };
}

function detailOf(download: ReceiptDownload, texts: Texts): string {
  return [texts.time(download.at), download.place, download.device].filter((part) => part !== null).join(' · ');
}
