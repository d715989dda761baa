// What every kind of mail is: a payload of plain data, a sample of it, the class of its headers, how it behaves, and how
// the payload becomes blocks. Payloads are kept in the outbox as JSON, so they hold no functions, Dates or undefined.
import type { TextValues } from '#language/catalogue.ts';
import type { Notice } from '../../domain/preferences.ts';
import type { Block } from '../blocks.ts';
import type { MailTextKey, Words } from '../text.ts';

/** Which column of the header table a mail belongs to (experience 8.2). */
export type HeaderClass = 'person' | 'code' | 'receipt' | 'alert';

/**
 * How a mail behaves between being queued and being delivered. Everything that treats kinds of mail differently asks for
 * one of these, so a new kind says all of it in its own file.
 *
 * - `invites`: leads the recipient to the page of a message or request, and is not sent once that has ended.
 * - `carriesAccess`: takes a message to one of its recipients. The tracker shows it, and it is not sent to a recipient whose
 *   access was revoked since.
 * - `carriesText`: the text of the message is in it, which counts when it went to the wrong person.
 * - `isToldAfterwards`: tells of something that has happened, and that stays true after a message was withdrawn.
 * - `isSentByPerson`: one person sends it to another on purpose. It counts towards their hourly limit, what becomes of it
 *   is in the timeline, and the sender is notified when it cannot be delivered. Codes, notices, receipts and copies are sent by the service.
 */
export type MailTrait = 'invites' | 'carriesAccess' | 'carriesText' | 'isToldAfterwards' | 'isSentByPerson';

export interface MailPerson {
  /** May be empty; then the address is shown instead. */
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
  /** Shown by mail programs after the subject; empty for none. */
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
  traits: readonly MailTrait[];
  /** The choice of its reader that switches it off; left out for mails that always come. */
  notice?: Notice;
  sample: P;
  /** Shipped content templates; null where there is nothing to say by default. */
  defaults: { subject: MailTextKey; intro: MailTextKey | null; closing: MailTextKey | null };
  compose(payload: P, words: Words, sender: Sender): Composition;
}

export function nameOf(person: MailPerson): string {
  return person.name === '' ? person.address : person.name;
}
