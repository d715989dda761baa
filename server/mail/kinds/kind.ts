// Payloads are stored in the outbox as JSON, so they have no functions, Dates or undefined.
import type { TextValues } from '#language/catalogue.ts';
import type { Notice } from '../../domain/preferences.ts';
import type { Block } from '../blocks.ts';
import type { MailTextKey, Texts } from '../text.ts';

/** Selects the headers of a mail. */
export type HeaderClass = 'person' | 'code' | 'receipt' | 'alert';

/**
 * How mails of a kind behave from queueing to delivery.
 * - `invites`: links to a message or request, and is not sent after its end.
 * - `carriesAccess`: gives a recipient access to a message; the tracker shows it, and it is not sent after
 *   access was revoked.
 * - `carriesText`: contains the message's text, which matters if the recipient was wrong.
 * - `reportsPastEvent`: reports a past fact, so it is sent also after a withdrawal.
 * - `isSentByPerson`: a user sends it on purpose; it counts towards the hourly limit, appears in the timeline, and the
 *   sender is notified of failures.
 * - `waitsForFiles`: announces files, so it waits until the virus scanner has passed one, and names no held file.
 */
export type MailTrait =
  | 'invites'
  | 'carriesAccess'
  | 'carriesText'
  | 'reportsPastEvent'
  | 'isSentByPerson'
  | 'waitsForFiles';

export interface MailPerson {
  /** If empty, the address is shown instead. */
  name: string;
  address: string;
}

export interface EveryMail {
  reference: string;
  /** For recipients whose language is unknown. */
  language?: string;
  /** The page with this mail in other languages. */
  otherLanguageUrl?: string;
  /** `<id@domain>` of the mail that starts the thread. */
  threadMessageId?: string;
}

export interface Sender {
  organisation: string;
  product: string;
  /** May be empty. */
  contact: string;
  /** The public address. */
  site: string;
}

/** Strings of the payload are already safe to show. */
export interface Composition {
  variables: TextValues;
  heading: string;
  /** Shown by mail programs after the subject; may be empty. */
  preheader: string;
  /** Why the reader got this. */
  why: string;
  /** Between intro and closing. */
  blocks: Block[];
  person?: MailPerson;
}

/** What `reference` identifies. */
export type ReferenceTarget = 'message' | 'account' | 'other';

export interface Kind<P extends EveryMail> {
  headerClass: HeaderClass;
  traits: readonly MailTrait[];
  /** Default: `other`. */
  refersTo?: ReferenceTarget;
  /** Absent for mails that are always sent. */
  notice?: Notice;
  sample: P;
  /** Shipped content templates; null for an empty one. */
  defaults: { subject: MailTextKey; intro: MailTextKey | null; closing: MailTextKey | null };
  compose(payload: P, texts: Texts, sender: Sender): Composition;
}

export function nameOf(person: MailPerson): string {
  return person.name === '' ? person.address : person.name;
}
