// To the sender: a recipient has read a private message.
import type { EveryMail, Kind } from './kind.ts';
import { ben, sampleInstant, sampleReference, sampleSubject } from './samples.ts';

export interface ReadNoticePayload extends EveryMail {
  /** Name or address. */
  reader: string;
  subject: string;
  readAt: number;
  /** The message in the app. */
  url: string;
}

export const readNoticeKind: Kind<ReadNoticePayload> = {
  headerClass: 'receipt',
  traits: ['isToldAfterwards'],
  defaults: { subject: 'mail.readSubject', intro: null, closing: null },
  sample: {
    reference: sampleReference,
    reader: ben.name,
    subject: sampleSubject,
    readAt: sampleInstant,
    url: `https://files.northlight.example/app/sent/${sampleReference}`,
    threadMessageId: '<copy-Zk3pQ8@northlight.example>',
  },
  compose(payload, words, sender) {
    const time = words.time(payload.readAt);
    const variables = { reader: payload.reader, subject: payload.subject, time };
    return {
      variables,
      heading: words.say('mail.readSubject', variables),
      preheader: time,
      why: words.say('mail.readWhy', { ...sender }),
      blocks: [
        {
          type: 'facts',
          facts: [
            { label: words.say('mail.labelMessage'), value: payload.subject },
            { label: words.say('mail.labelWhen'), value: time },
          ],
        },
        { type: 'button', label: words.say('mail.readButton'), url: payload.url },
      ],
    };
  },
};
