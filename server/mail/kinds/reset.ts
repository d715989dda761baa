// The link to choose a new password. Never the password, never another link into the account.
import type { EveryMail, Kind } from './kind.ts';
import { ben, sampleLanguageUrl, sampleReference } from './samples.ts';

export interface ResetPayload extends EveryMail {
  address: string;
  url: string;
  /** The link's lifetime. */
  minutes: number;
}

export const resetKind: Kind<ResetPayload> = {
  headerClass: 'code',
  traits: [],
  refersTo: 'account',
  defaults: { subject: 'mail.resetSubject', intro: 'mail.resetIntro', closing: 'mail.resetClosing' },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    address: ben.address,
    url: 'https://files.northlight.example/reset/4TmX8qLc2vKz7RbN9sWp1d',
    minutes: 60,
  },
  compose(payload, texts, sender) {
    const duration = texts.duration(payload.minutes);
    const variables = { address: payload.address, duration };
    const works = texts.say('mail.linkFor', { duration });
    return {
      variables,
      heading: texts.say('mail.resetSubject'),
      preheader: works,
      why: texts.say('mail.resetWhy', { ...variables, ...sender }),
      blocks: [
        { type: 'button', label: texts.say('mail.resetButton'), url: payload.url },
        { type: 'facts', facts: [{ sentence: works, strong: duration }] },
      ],
    };
  },
};
