import type { Block, Fact } from '../blocks.ts';
import { type EveryMail, type Kind, type MailPerson, nameOf } from './kind.ts';
import { alice, sampleLanguageUrl, sampleReference } from './samples.ts';
import { untilOf } from './sharing.ts';

export interface FileRequestPayload extends EveryMail {
  sender: MailPerson;
  subject: string;
  body: string;
  url: string;
  /** `YYYY-MM-DD`; null means without end. */
  expiresOn: string | null;
  /** It accepts more than one answer. */
  isReusable: boolean;
}

export const fileRequestKind: Kind<FileRequestPayload> = {
  headerClass: 'person',
  traits: ['invites', 'isSentByPerson'],
  defaults: { subject: 'mail.requestSubject', intro: null, closing: 'mail.requestClosing' },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    sender: alice,
    subject: 'Photos of the east quay',
    body: 'Hi Ben,\ncould you send the photos from Tuesday? The large originals, if you have them.\n\nAlice',
    url: `https://files.northlight.example/requests/${sampleReference}`,
    expiresOn: '2026-11-30',
    isReusable: false,
  },
  compose(payload, texts, sender) {
    const variables = {
      sender: nameOf(payload.sender),
      senderAddress: payload.sender.address,
      subject: payload.subject,
      until: untilOf(payload.expiresOn, texts),
    };
    const facts: Fact[] = [];
    if (payload.expiresOn !== null) {
      facts.push({ sentence: texts.say('mail.requestUntil', { date: variables.until }), strong: variables.until });
    }
    facts.push({ sentence: texts.say(payload.isReusable ? 'mail.requestOften' : 'mail.requestOnce') });
    const blocks: Block[] = [];
    if (payload.body !== '') {
      blocks.push({ type: 'quote', by: variables.sender, address: payload.sender.address, text: payload.body });
    }
    blocks.push({ type: 'button', label: texts.say('mail.requestButton'), url: payload.url }, { type: 'facts', facts });
    return {
      variables,
      heading: texts.say('mail.requestHeading', variables),
      preheader: payload.expiresOn === null ? '' : texts.say('mail.requestUntil', { date: variables.until }),
      why: texts.say('mail.requestWhy', { ...variables, ...sender }),
      blocks,
      person: payload.sender,
    };
  },
};
