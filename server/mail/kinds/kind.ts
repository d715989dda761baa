// What every kind of mail is: a payload of plain data, a sample of it, the class of its headers, and how the payload
// becomes blocks. Payloads are kept in the outbox as JSON, so they hold no functions, dates objects or undefined.
import type { TextValues } from '#language/catalogue.ts';
import type { Block } from '../blocks.ts';
import type { MailTextKey, Words } from '../text.ts';

/** Which column of the header table a mail belongs to (experience 8.2). */
export type HeaderClass = 'person' | 'code' | 'receipt' | 'alert';

export interface MailPerson {
  /** May be empty; then the address stands for it. */
  name: string;
  address: string;
}

/** What every payload has. */
export interface EveryMail {
  /** Shown at the end, for questions: the id of the message, request or link, or of the mail itself. */
  reference: string;
  /** The language the sender chose for people whose own is not known. */
  language?: string;
  /** The page with this mail in other languages. */
  otherLanguageUrl?: string;
  /** `<id@domain>` of the mail this one belongs below, such as the copy to the sender. */
  threadMessageId?: string;
}

/** Facts of the installation that sentences may need. */
export interface Sender {
  organisation: string;
  product: string;
  /** Empty when there is none. */
  contact: string;
  /** Where people reach the installation. */
  site: string;
}

/** A payload put into words. Strings of the payload are safe to show when they get here. */
export interface Composition {
  /** What content templates, the heading and the subject may name. */
  variables: TextValues;
  heading: string;
  /** Shown by mail programs beside the subject; empty for none. */
  preheader: string;
  /** Why the reader got this. */
  why: string;
  /** Between intro and closing. */
  blocks: Block[];
  /** The person in whose name a mail of class `person` goes out. */
  person?: MailPerson;
}

export interface Kind<P extends EveryMail> {
  headerClass: HeaderClass;
  sample: P;
  /** Shipped content templates; null where there is nothing to say by default. */
  defaults: { subject: MailTextKey; intro: MailTextKey | null; closing: MailTextKey | null };
  compose(payload: P, words: Words, sender: Sender): Composition;
}

export function nameOf(person: MailPerson): string {
  return person.name === '' ? person.address : person.name;
}
