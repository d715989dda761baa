// A message draft, the choices of the group, and the resulting call. Pure.
import type { CallInput } from '#contract/client.ts';
import { addDays } from '../../../dates.ts';
import type { Me } from '../../../me.ts';
import type { EarlierFile } from '../../../transfers/earlier-files.tsx';
import type { Recipient } from '../../../ui/recipients.ts';

/** `authorization` on the wire. */
export type Level = 0 | 1 | 2 | 3 | 4;

/** Stored as JSON. */
export interface Draft {
  to: Recipient[];
  cc: Recipient[];
  bcc: Recipient[];
  sender: string;
  subject: string;
  /** Plain text, also of formatted text. */
  text: string;
  /** Empty without formatting. */
  html: string;
  level: Level;
  /** YYYY-MM-DD; null for the group's default. */
  until: string | null;
  /** null for no limit. */
  downloads: number | null;
  isCopied: boolean;
  isPrivate: boolean;
  /** Language of the mail; empty for the installation's default. */
  language: string;
  earlier: EarlierFile[];
}

type Policy = Me['policy'];

const fromStrictToOpen: Level[] = [3, 4, 2, 1, 0];

export function levelsOf(policy: Policy): Level[] {
  return fromStrictToOpen.filter((level) => policy.message_authorizations.includes(level));
}

/** The default and the widest level; a button shows the others. */
export function firstLevels(policy: Policy): Level[] {
  const all = levelsOf(policy);
  return all.filter((level) => level === defaultLevel(policy) || level === all.at(-1));
}

function defaultLevel(policy: Policy): Level {
  const preferred = policy.message_default_authorization as Level;
  const all = levelsOf(policy);
  return all.includes(preferred) ? preferred : (all[0] ?? preferred);
}

export function isForRecipients({ level }: Pick<Draft, 'level'>): boolean {
  return level === 3 || level === 4;
}

export interface Choices {
  level: boolean;
  until: boolean;
  downloads: boolean;
  copy: boolean;
  privacy: boolean;
}

/** A single option is not a choice. */
export function choicesOf(policy: Policy): Choices {
  return {
    level: policy.message_can_change_authorization && levelsOf(policy).length > 1,
    until: policy.message_can_change_expiration,
    downloads: policy.message_can_change_expires_after,
    copy: policy.message_can_change_bcc_myself,
    privacy: policy.message_can_change_private_message,
  };
}

export function newDraft({ policy, can_send_mail: canMail, addresses, today }: Me, earlier: EarlierFile[] = []): Draft {
  return {
    to: [],
    cc: [],
    bcc: [],
    sender: addresses.default_sender,
    subject: '',
    text: '',
    html: '',
    level: canMail === false && choicesOf(policy).level ? levelsOf(policy).at(-1)! : defaultLevel(policy),
    until: addDays(today, policy.message_default_expiration),
    downloads: policy.message_default_expires_after || policy.message_max_expires_after || null,
    isCopied: policy.message_default_bcc_myself,
    isPrivate: policy.message_default_private_message,
    language: '',
    earlier,
  };
}

export function isUntouched(draft: Draft): boolean {
  const isBlank = draft.subject.trim() === '' && draft.text.trim() === '';
  return isBlank && peopleOf(draft).length === 0 && draft.earlier.length === 0;
}

export function adjustDraft(draft: Draft, me: Me): Draft {
  const fresh = newDraft(me);
  const choices = choicesOf(me.policy);
  const lastDay = addDays(me.today, me.policy.message_max_expiration);
  const isDayGood = draft.until !== null && draft.until >= me.today && draft.until <= lastDay;
  const most = me.policy.message_max_expires_after;
  const isCountGood = most === 0 || (draft.downloads !== null && draft.downloads <= most);
  return {
    ...fresh,
    ...draft,
    ...(me.policy.message_can_use_html ? {} : { html: '' }),
    sender: me.addresses.senders.includes(draft.sender) ? draft.sender : fresh.sender,
    level: choices.level && levelsOf(me.policy).includes(draft.level) ? draft.level : fresh.level,
    until: choices.until && isDayGood ? draft.until : fresh.until,
    downloads: choices.downloads && isCountGood ? draft.downloads : fresh.downloads,
    isCopied: choices.copy ? draft.isCopied : fresh.isCopied,
    isPrivate: choices.privacy ? draft.isPrivate : fresh.isPrivate,
  };
}

export function peopleOf({ to, cc, bcc }: Draft): Recipient[] {
  return [...to, ...cc, ...bcc];
}

/** Omits settings the user may not change, so that the group's apply. */
export function messageBody(
  draft: Draft,
  { policy, addresses }: Me,
  { attachments, sendsMail }: { attachments: string[]; sendsMail: boolean },
): CallInput<'sendMessage'>['body'] {
  const choices = choicesOf(policy);
  const isFormatted = policy.message_can_use_html && draft.html !== '';
  const named = peopleOf(draft).flatMap(({ address, name }) => (name === '' ? [] : [{ address, name }]));
  const addressesOf = (people: Recipient[]) => people.map(({ address }) => address);
  return {
    message: {
      recipients: addressesOf(draft.to),
      cc: addressesOf(draft.cc),
      bcc: addressesOf(draft.bcc),
      ...(named.length === 0 ? {} : { names: named }),
      subject: draft.subject.trim(),
      message: isFormatted ? draft.html : draft.text,
      // Explicit: plain text with a "<b>" could be taken for HTML.
      message_format: isFormatted ? 'html' : 'plain',
      attachments,
      send_email: sendsMail,
      ...(sendsMail && draft.language !== '' ? { language: draft.language } : {}),
      ...(addresses.senders.length > 1 ? { sender: draft.sender } : {}),
      ...(choices.level ? { authorization: draft.level } : {}),
      ...(choices.until && draft.until !== null ? { expires_at: draft.until } : {}),
      ...(choices.downloads ? { expires_after: draft.downloads ?? 0 } : {}),
      ...(choices.copy ? { bcc_myself: draft.isCopied } : {}),
      ...(choices.privacy ? { private_message: draft.isPrivate && draft.level !== 0 } : {}),
    },
  };
}
