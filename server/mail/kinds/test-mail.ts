// Names the settings used, without the password.
import type { Fact } from '../blocks.ts';
import type { EveryMail, Kind } from './kind.ts';
import { sampleReference } from './samples.ts';

export interface TestPayload extends EveryMail {
  requestedBy: string;
  /** `smtp.example.com:587`, or the mail folder. */
  server: string;
  /** `TLS`, `STARTTLS` or `none (this machine)`. */
  security: string;
  /** The SMTP user; null if there is none. */
  user: string | null;
  fromAddress: string;
  envelopeFrom: string;
  ratePerMinute: number;
}

export const testKind: Kind<TestPayload> = {
  headerClass: 'alert',
  traits: [],
  defaults: { subject: 'mail.testSubject', intro: 'mail.testIntro', closing: null },
  sample: {
    reference: sampleReference,
    requestedBy: 'Sam Rivers',
    server: 'smtp.northlight.example:587',
    security: 'STARTTLS',
    user: 'files',
    fromAddress: 'files@northlight.example',
    envelopeFrom: 'bounces@northlight.example',
    ratePerMinute: 60,
  },
  compose(payload, texts, sender) {
    const facts: Fact[] = [
      { label: texts.say('mail.labelServer'), value: payload.server },
      { label: texts.say('mail.labelSecurity'), value: payload.security },
      { label: texts.say('mail.labelFrom'), value: payload.fromAddress },
      { label: texts.say('mail.labelBounces'), value: payload.envelopeFrom },
      { label: texts.say('mail.labelRate'), value: texts.say('mail.testRate', { rate: payload.ratePerMinute }) },
    ];
    if (payload.user !== null) facts.splice(2, 0, { label: texts.say('mail.labelUser'), value: payload.user });
    return {
      variables: { requestedBy: payload.requestedBy, server: payload.server, ...sender },
      heading: texts.say('mail.testHeading'),
      preheader: '',
      why: texts.say('mail.testWhy', { requestedBy: payload.requestedBy, ...sender }),
      blocks: [{ type: 'facts', facts }],
    };
  },
};
