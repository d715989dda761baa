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
  defaults: { subject: 'mail.resetSubject', intro: 'mail.resetIntro', closing: 'mail.resetClosing' },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    address: ben.address,
    url: 'https://files.northlight.example/reset/4TmX8qLc2vKz7RbN9sWp1d',
    minutes: 60,
  },
  compose(payload, words, sender) {
    const duration = words.duration(payload.minutes);
    const variables = { address: payload.address, duration };
    const works = words.say('mail.linkFor', { duration });
    return {
      variables,
      heading: words.say('mail.resetSubject'),
      preheader: works,
      why: words.say('mail.resetWhy', { ...variables, ...sender }),
      blocks: [
        { type: 'button', label: words.say('mail.resetButton'), url: payload.url },
        { type: 'facts', facts: [{ sentence: works, strong: duration }] },
      ],
    };
  },
};
