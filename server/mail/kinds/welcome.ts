// To the address of a new account, unless it was invited.
import type { EveryMail, Kind } from './kind.ts';
import { alice, ben, sampleReference } from './samples.ts';

export interface WelcomePayload extends EveryMail {
  /** Who created the account. */
  creator: string;
  address: string;
  /** The creator set a password, and gives it to the reader. */
  hasPassword: boolean;
  /** Where to sign in, or to choose a password. */
  url: string;
}

export const welcomeKind: Kind<WelcomePayload> = {
  headerClass: 'code',
  traits: [],
  refersTo: 'account',
  defaults: { subject: 'mail.welcomeSubject', intro: 'mail.welcomeIntro', closing: 'mail.welcomeClosing' },
  sample: {
    reference: sampleReference,
    creator: alice.name,
    address: ben.address,
    hasPassword: false,
    url: 'https://files.northlight.example/forgot',
  },
  compose(payload, texts, sender) {
    const { creator, address, hasPassword } = payload;
    const next = hasPassword ? texts.say('mail.welcomeGiven', { creator }) : texts.say('mail.welcomeChoose');
    const variables = { creator, address, next };
    return {
      variables,
      heading: texts.say('mail.welcomeSubject', { ...sender }),
      preheader: texts.say('mail.welcomeIntro', { ...variables, ...sender }),
      why: texts.say('mail.welcomeWhy', { ...variables, ...sender }),
      blocks: [
        {
          type: 'button',
          label: texts.say(hasPassword ? 'mail.welcomeSignIn' : 'mail.welcomeButton'),
          url: payload.url,
        },
      ],
    };
  },
};
