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
  traits: ['reportsPastEvent'],
  refersTo: 'message',
  defaults: { subject: 'mail.readSubject', intro: null, closing: null },
  sample: {
    reference: sampleReference,
    reader: ben.name,
    subject: sampleSubject,
    readAt: sampleInstant,
    url: `https://files.northlight.example/app/sent/${sampleReference}`,
    threadMessageId: '<copy-Zk3pQ8@northlight.example>',
  },
  compose(payload, texts, sender) {
    const time = texts.time(payload.readAt);
    const variables = { reader: payload.reader, subject: payload.subject, time };
    return {
      variables,
      heading: texts.say('mail.readSubject', variables),
      preheader: time,
      why: texts.say('mail.readWhy', { ...sender }),
      blocks: [
        {
          type: 'facts',
          facts: [
            { label: texts.say('mail.labelMessage'), value: payload.subject },
            { label: texts.say('mail.labelWhen'), value: time },
          ],
        },
        { type: 'button', label: texts.say('mail.readButton'), url: payload.url },
      ],
    };
  },
};
