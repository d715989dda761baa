// Must never contain the message's text, subject or file names.
import { type EveryMail, type Kind, type MailPerson, nameOf } from './kind.ts';
import { alice, sampleLanguageUrl, sampleReference, sampleUrl } from './samples.ts';
import { type Sharing, sharingSentences, untilOf } from './sharing.ts';

export interface PrivateMessagePayload extends EveryMail, Omit<Sharing, 'downloadLimit'> {
  sender: MailPerson;
  url: string;
}

export const privateMessageKind: Kind<PrivateMessagePayload> = {
  headerClass: 'person',
  traits: ['invites', 'carriesAccess', 'isSentByPerson', 'waitsForFiles'],
  refersTo: 'message',
  defaults: { subject: 'mail.privateSubject', intro: 'mail.privateIntro', closing: null },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    sender: alice,
    url: sampleUrl,
    expiresOn: '2026-11-30',
    audience: 'recipientsOnly',
  },
  compose(payload, texts, sender) {
    const variables = {
      sender: nameOf(payload.sender),
      senderAddress: payload.sender.address,
      until: untilOf(payload.expiresOn, texts),
    };
    return {
      variables,
      heading: texts.say('mail.privateSubject', variables),
      preheader: payload.expiresOn === null ? '' : texts.say('mail.availableUntil', { date: variables.until }),
      why: texts.say('mail.privateWhy', { ...variables, ...sender }),
      blocks: [
        { type: 'button', label: texts.say('mail.privateButton'), url: payload.url },
        { type: 'facts', facts: sharingSentences({ ...payload, downloadLimit: null }, 0, texts, sender) },
      ],
      person: payload.sender,
    };
  },
};
