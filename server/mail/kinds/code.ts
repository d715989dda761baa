// A code that proves an address. Contains no settings link, and of what the code opens only the name.
import type { Block } from '../blocks.ts';
import type { Words } from '../text.ts';
import type { EveryMail, Kind } from './kind.ts';
import { alice, ben, sampleLanguageUrl, sampleReference, sampleSubject } from './samples.ts';

export interface CodePayload extends EveryMail {
  /** In groups, as typed: `K7QM-4XPA`. */
  code: string;
  /** The address to prove. */
  address: string;
  /** Its lifetime. */
  minutes: number;
  /** To open a share, to send a delivery, or to add the address to an account. */
  purpose: 'open' | 'send' | 'account';
  /** The subject or file name; null if it must not be shown, as for private messages. */
  about: string | null;
  /** The sharer, the receiver or the account's owner; null if it must not be shown. */
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
  compose(payload, words, sender) {
    const duration = words.duration(payload.minutes);
    const variables = {
      code: payload.code,
      address: payload.address,
      duration,
      purpose: purpose(payload, words),
      ignore: words.say(ignoreKey(payload)),
    };
    const works = words.say('mail.codeWorks', { duration });
    const blocks: Block[] = [
      { type: 'code', code: payload.code },
      { type: 'facts', facts: [{ sentence: works, strong: duration }] },
    ];
    if (payload.url !== null) {
      blocks.push(
        { type: 'button', label: words.say('mail.codeButton'), url: payload.url },
        { type: 'facts', facts: [{ sentence: words.say('mail.codeButtonHelp') }] },
      );
    }
    return {
      variables,
      heading: words.say('mail.codeHeading'),
      preheader: works,
      why: words.say('mail.codeWhy', { ...variables, ...sender }),
      blocks,
    };
  },
};

function ignoreKey({ purpose: wanted }: CodePayload) {
  if (wanted === 'account') return 'mail.codeAccountIgnore';
  return wanted === 'send' ? 'mail.codeSendIgnore' : 'mail.codeIgnore';
}

function purpose({ purpose: wanted, about, sharedBy, address }: CodePayload, words: Words): string {
  if (wanted === 'account' && sharedBy !== null) return words.say('mail.codeAccountFor', { sharedBy, address });
  if (wanted === 'send' && sharedBy !== null) return words.say('mail.codeSendFor', { sharedBy });
  if (about !== null && sharedBy !== null) return words.say('mail.codeForBoth', { about, sharedBy });
  if (about !== null) return words.say('mail.codeForAbout', { about });
  if (sharedBy !== null) return words.say('mail.codeForSender', { sharedBy });
  return words.say('mail.codeForPage');
}
