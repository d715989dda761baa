// To the person who asked. Never contains the recipient's link.
import type { Block, Fact } from '../blocks.ts';
import { type EveryMail, type Kind, type MailPerson, nameOf } from './kind.ts';
import { alice, ben, sampleReference } from './samples.ts';
import { untilOf } from './sharing.ts';

export interface RequestCopyPayload extends EveryMail {
  sender: MailPerson;
  recipient: string;
  subject: string;
  body: string;
  /** The request in the app. */
  url: string;
  /** `YYYY-MM-DD`; null means without end. */
  expiresOn: string | null;
  /** It accepts more than one answer. */
  isReusable: boolean;
}

export const requestCopyKind: Kind<RequestCopyPayload> = {
  headerClass: 'receipt',
  traits: [],
  defaults: { subject: 'mail.requestCopySubject', intro: null, closing: null },
  sample: {
    reference: sampleReference,
    sender: alice,
    recipient: ben.address,
    subject: 'Photos of the east quay',
    body: 'Hi Ben,\ncould you send the photos from Tuesday? The large originals, if you have them.\n\nAlice',
    url: `https://files.northlight.example/app/requests/${sampleReference}`,
    expiresOn: '2026-11-30',
    isReusable: false,
  },
  compose(payload, texts, sender) {
    const until = untilOf(payload.expiresOn, texts);
    const variables = {
      sender: nameOf(payload.sender),
      recipient: payload.recipient,
      subject: payload.subject || payload.recipient,
      until,
    };
    const facts: Fact[] = [
      { label: texts.say('mail.labelTo'), value: payload.recipient },
      { label: texts.say('mail.labelOpenUntil'), value: until || texts.say('mail.noEnd') },
      {
        label: texts.say('mail.labelDeliveries'),
        value: texts.say(payload.isReusable ? 'mail.deliveriesAny' : 'mail.deliveriesOne'),
      },
    ];
    const blocks: Block[] = [];
    if (payload.body !== '') {
      blocks.push({ type: 'quote', by: variables.sender, address: payload.sender.address, text: payload.body });
    }
    blocks.push(
      { type: 'facts', facts },
      { type: 'button', label: texts.say('mail.requestCopyButton'), url: payload.url },
    );
    return {
      variables,
      heading: texts.say('mail.requestCopyHeading', variables),
      preheader: '',
      why: texts.say('mail.requestCopyWhy', { ...sender }),
      blocks,
    };
  },
};
