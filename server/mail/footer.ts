import type { ReferenceTarget } from './kinds/kind.ts';
import type { Texts } from './text.ts';

export interface Footer {
  why: string;
  organisation: string;
  contact: string | null;
  /** The organisation's own lines. */
  note: string[];
  /** Null where the id is an account's. */
  reference: string | null;
  links: { label: string; url: string }[];
}

export interface FooterFacts {
  why: string;
  organisation: string;
  contact: string | null;
  note: string;
  reference: string;
  refersTo: ReferenceTarget;
  otherLanguageUrl: string | null;
  unsubscribeUrl: string | null;
}

export function footerOf(facts: FooterFacts, texts: Texts): Footer {
  const links: Footer['links'] = [];
  if (facts.otherLanguageUrl !== null) {
    links.push({ label: texts.say('mail.footerLanguage'), url: facts.otherLanguageUrl });
  }
  if (facts.unsubscribeUrl !== null) {
    links.push({ label: texts.say('mail.footerUnsubscribe'), url: facts.unsubscribeUrl });
  }
  return {
    why: facts.why,
    organisation: facts.organisation,
    contact: facts.contact === null ? null : texts.say('mail.footerContact', { contact: facts.contact }),
    note: facts.note === '' ? [] : facts.note.split('\n'),
    reference: referenceOf(facts, texts),
    links,
  };
}

function referenceOf({ reference, refersTo }: FooterFacts, texts: Texts): string | null {
  if (refersTo === 'account') return null;
  return texts.say(refersTo === 'message' ? 'mail.footerMessageId' : 'mail.footerReference', { reference });
}
