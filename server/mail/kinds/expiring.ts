import type { EveryMail, Kind } from './kind.ts';
import { ben, sampleReference, sampleSubject } from './samples.ts';

export interface ExpiringPayload extends EveryMail {
  subject: string;
  /** Addresses or names; at least one. */
  waiting: string[];
  /** `YYYY-MM-DD`. */
  expiresOn: string;
  /** Null if the group sends no reminders. */
  remindUrl: string | null;
  extendUrl: string;
}

export const expiringKind: Kind<ExpiringPayload> = {
  headerClass: 'receipt',
  traits: ['invites'],
  refersTo: 'message',
  notice: 'reminders',
  defaults: { subject: 'mail.expiringSubject', intro: 'mail.expiringIntro', closing: null },
  sample: {
    reference: sampleReference,
    subject: sampleSubject,
    waiting: [ben.address, 'dana@harbour.example'],
    expiresOn: '2026-11-30',
    remindUrl: `https://files.northlight.example/app/sent/${sampleReference}?remind`,
    extendUrl: `https://files.northlight.example/app/sent/${sampleReference}?extend`,
    threadMessageId: '<copy-Zk3pQ8@northlight.example>',
  },
  compose(payload, texts, sender) {
    const variables = {
      subject: payload.subject,
      waitingCount: payload.waiting.length,
      until: texts.date(payload.expiresOn),
    };
    return {
      variables,
      heading: texts.say('mail.expiringSubject', variables),
      preheader: texts.say('mail.availableUntil', { date: variables.until }),
      why: texts.say('mail.expiringWhy', { ...sender }),
      blocks: [
        { type: 'entries', entries: payload.waiting.map((title) => ({ title, detail: '' })) },
        ...(payload.remindUrl === null
          ? [{ type: 'button' as const, label: texts.say('mail.expiringExtendOnly'), url: payload.extendUrl }]
          : [
              { type: 'button' as const, label: texts.say('mail.expiringButton', variables), url: payload.remindUrl },
              { type: 'link' as const, label: texts.say('mail.expiringExtend'), url: payload.extendUrl },
            ]),
      ],
    };
  },
};
