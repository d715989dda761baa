import type { EveryMail, Kind } from './kind.ts';
import { alice, ben, sampleLanguageUrl, sampleReference } from './samples.ts';

export interface InvitationPayload extends EveryMail {
  /** Null if the installation itself did. */
  inviter: string | null;
  address: string;
  url: string;
  /** The last day the link works, `YYYY-MM-DD`. */
  expiresOn: string;
}

export const invitationKind: Kind<InvitationPayload> = {
  headerClass: 'code',
  traits: [],
  refersTo: 'account',
  defaults: { subject: 'mail.invitationSubject', intro: 'mail.invitationIntro', closing: 'mail.invitationClosing' },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    inviter: alice.name,
    address: ben.address,
    url: 'https://files.northlight.example/invitation/7Rk2vQx9LmZ4bTn8YcWs3p',
    expiresOn: '2026-11-22',
  },
  compose(payload, texts, sender) {
    const { organisation } = sender;
    const summary =
      payload.inviter === null
        ? texts.say('mail.invitationPlain', { organisation })
        : texts.say('mail.invitationBy', { inviter: payload.inviter, organisation });
    const until = texts.date(payload.expiresOn);
    const works = texts.say('mail.linkUntil', { date: until });
    const variables = { summary, address: payload.address, until };
    return {
      variables,
      heading: summary,
      preheader: works,
      why: texts.say('mail.invitationWhy', { ...variables, ...sender }),
      blocks: [
        { type: 'button', label: texts.say('mail.invitationButton'), url: payload.url },
        { type: 'facts', facts: [{ sentence: works, strong: until }] },
      ],
    };
  },
};
