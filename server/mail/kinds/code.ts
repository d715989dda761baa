// A code that proves an address, without a settings link.
import type { Block } from '../blocks.ts';
import type { Texts } from '../text.ts';
import type { EveryMail, Kind } from './kind.ts';
import { alice, ben, sampleLanguageUrl, sampleReference, sampleSubject } from './samples.ts';

export interface CodePayload extends EveryMail {
  /** In groups, as typed: `K7QM-4XPA`. */
  code: string;
  /** The address to prove. */
  address: string;
  /** Its lifetime. */
  minutes: number;
  purpose: 'open' | 'send' | 'account';
  /** Null if it must not be shown, as for private messages. */
  about: string | null;
  /** Null if it must not be shown. */
  sharedBy: string | null;
  /** Works in any browser: fills the code in where it was requested. */
  url: string | null;
}

export const codeKind: Kind<CodePayload> = {
  headerClass: 'code',
  traits: [],
  defaults: { subject: 'mail.codeSubject', intro: 'mail.codeIntro', closing: 'mail.codeClosing' },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    code: 'K7QM-4XPA',
    address: ben.address,
    minutes: 10,
    purpose: 'open',
    about: sampleSubject,
    sharedBy: alice.name,
    url: `https://files.northlight.example/verify/${sampleReference}`,
  },
  compose(payload, texts, sender) {
    const duration = texts.duration(payload.minutes);
    const variables = {
      code: payload.code,
      address: payload.address,
      duration,
      purpose: purpose(payload, texts),
      ignore: texts.say(ignoreKey(payload)),
    };
    const works = texts.say('mail.codeWorks', { duration });
    const blocks: Block[] = [
      { type: 'code', code: payload.code },
      { type: 'facts', facts: [{ sentence: works, strong: duration }] },
    ];
    if (payload.url !== null) {
      blocks.push(
        { type: 'button', label: texts.say('mail.codeButton'), url: payload.url },
        { type: 'facts', facts: [{ sentence: texts.say('mail.codeButtonHelp') }] },
      );
    }
    return {
      variables,
      heading: texts.say('mail.codeHeading'),
      preheader: works,
      why: texts.say('mail.codeWhy', { ...variables, ...sender }),
      blocks,
    };
  },
};

function ignoreKey({ purpose: reason }: CodePayload) {
  if (reason === 'account') return 'mail.codeAccountIgnore';
  return reason === 'send' ? 'mail.codeSendIgnore' : 'mail.codeIgnore';
}

function purpose({ purpose: reason, about, sharedBy, address }: CodePayload, texts: Texts): string {
  if (reason === 'account' && sharedBy !== null) return texts.say('mail.codeAccountFor', { sharedBy, address });
  if (reason === 'send' && sharedBy !== null) return texts.say('mail.codeSendFor', { sharedBy });
  if (about !== null && sharedBy !== null) return texts.say('mail.codeForBoth', { about, sharedBy });
  if (about !== null) return texts.say('mail.codeForAbout', { about });
  if (sharedBy !== null) return texts.say('mail.codeForSender', { sharedBy });
  return texts.say('mail.codeForPage');
}
