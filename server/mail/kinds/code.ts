// E4: a code that proves an address. Never holds a link to change settings, nor what the code opens beyond its name.
import type { Block } from '../blocks.ts';
import type { Words } from '../text.ts';
import type { EveryMail, Kind } from './kind.ts';
import { alice, ben, sampleLanguageUrl, sampleReference, sampleSubject } from './samples.ts';

export interface CodePayload extends EveryMail {
  /** As it is typed: `K7QM-4XPA`. */
  code: string;
  /** The address it was asked for. */
  address: string;
  /** How long it works. */
  minutes: number;
  /** To open what was shared, to send what was handed in, or to make the address one of an account. */
  purpose: 'open' | 'send' | 'account';
  /** The subject or file name it opens; null when it must not be shown, as for private messages. */
  about: string | null;
  /** The name of the person who shared it, or gets it, or whose account it is; null when it must not be shown. */
  sharedBy: string | null;
  /** Works in any browser: fills the code in where it was asked for. Null for none. */
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

/** What the code is for, as far as it may be shown. */
function purpose({ purpose: wanted, about, sharedBy, address }: CodePayload, words: Words): string {
  if (wanted === 'account' && sharedBy !== null) return words.say('mail.codeAccountFor', { sharedBy, address });
  if (wanted === 'send' && sharedBy !== null) return words.say('mail.codeSendFor', { sharedBy });
  if (about !== null && sharedBy !== null) return words.say('mail.codeForBoth', { about, sharedBy });
  if (about !== null) return words.say('mail.codeForAbout', { about });
  if (sharedBy !== null) return words.say('mail.codeForSender', { sharedBy });
  return words.say('mail.codeForPage');
}
