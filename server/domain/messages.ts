import { type Audience, audiences } from '#contract/audiences.ts';
import { parseAddress } from '../lib/address.ts';
import { compilePattern } from '../lib/pattern.ts';
import { cleanRichText, looksFormatted, plainOfRichText } from '../lib/rich-text.ts';
import type { AttachmentState } from './attachments.ts';
import { domainOf } from './audience.ts';
import type { ShareState } from './availability.ts';
import { type AudienceLevel, audiencePermission, type Policy } from './policy.ts';
import { invalid, type Problem } from './problem.ts';
import type { ScanState } from './scanning.ts';

export type MessageOrigin = 'sent' | 'request' | 'filedrop';

/** A message without texts, recipients and files. */
export interface MessageHead {
  id: string;
  /** The sender, or the receiver of a submission. */
  ownerId: string;
  origin: MessageOrigin;
  requestId: string | null;
  sender: string;
  senderName: string;
  /** False if the address was only typed. */
  isSenderConfirmed: boolean;
  audience: Audience;
  downloadLimit: number | null;
  isPrivate: boolean;
  sendsReceipts: boolean;
  /** For recipients whose language is unknown. */
  mailLanguage: string;
  /** The last day. */
  expiresOn: string;
  /** The first instant after it. */
  expiresAt: number;
  sizeBytes: number;
  /** `released`: its files too. `messageStateAt` returns the visible state. */
  state: 'active' | 'released' | 'revoked';
  /** Whether a second person has to release it, or did. */
  reviewState: 'waiting' | 'released' | 'refused' | null;
  /** Or found unnecessary. */
  expiryToldAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface MessageTexts {
  subject: string;
  /** Also of a formatted message. */
  body: string;
  /** Cleaned HTML of a formatted message. */
  bodyHtml: string | null;
}

export type RecipientRole = 'to' | 'cc' | 'bcc';

export interface Recipient {
  address: string;
  role: RecipientRole;
  position: number;
  state: 'active' | 'revoked';
  /** For private messages. */
  readAt: number | null;
  revokedAt: number | null;
  /** The corrected address, or empty. */
  replacedBy: string;
  /** Null for the message's limit. */
  downloadLimit: number | null;
  reminderCount: number;
  remindedAt: number | null;
}

export interface HeldFile {
  attachmentId: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  crc32: string;
  state: AttachmentState;
  scanState: ScanState;
  isFromOutside: boolean;
}

export interface MessageFile extends HeldFile {
  share: ShareState;
  /** For a person without a download limit. */
  isAvailable: boolean;
}

/** `bccs` is null for all but the owner. */
export interface Message
  extends Omit<MessageHead, 'state' | 'sendsReceipts' | 'reviewState' | 'expiryToldAt'>,
    // Empty for a private message until it is read (docs/adr/0032).
    MessageTexts {
  isTextWithheld: boolean;
  state: MessageState;
  recipients: string[];
  ccs: string[];
  bccs: string[] | null;
  /** Includes Bcc, but not recipients without access. */
  recipientCount: number;
  /** As texts name it. */
  effectiveAudience: Audience;
  files: MessageFile[];
}

export type MessageState = 'active' | 'expired' | 'revoked';

/** Independent of the job that releases its files. */
export function messageStateAt(message: Pick<MessageHead, 'state' | 'expiresAt'>, now: number): MessageState {
  if (message.state === 'revoked') return 'revoked';
  return message.state === 'released' || message.expiresAt <= now ? 'expired' : 'active';
}

/** Only its sender may have it. */
export function isInReview({ reviewState }: Pick<MessageHead, 'reviewState'>): boolean {
  return reviewState === 'waiting' || reviewState === 'refused';
}

export function messageShareAt(
  message: Pick<MessageHead, 'state' | 'expiresAt' | 'reviewState'> & {
    ownerState?: 'active' | 'disabled' | 'deleted';
  },
  now: number,
): ShareState {
  const state = messageStateAt(message, now);
  if (state !== 'active') return state === 'revoked' ? 'withdrawn' : state;
  if (isInReview(message)) return 'in_review';
  return (message.ownerState ?? 'active') === 'active' ? 'active' : 'owner_inactive';
}

/** Whether a second person must release a message (setting `message_review`). */
export function isReviewed(policy: Policy, hasHeldFile: boolean): boolean {
  return policy.message_review === 'all' || (policy.message_review === 'held' && hasHeldFile);
}

/** Null is no limit. */
export function limitFor(general: number | null, own: number | null): number | null {
  return general === null ? null : Math.max(general, own ?? 0);
}

/** Over To, Cc and Bcc. */
export const maxRecipients = 500;
export const maxSubjectBytes = 998;
export const maxBodyBytes = 256 * 1024;

export interface RecipientLists {
  to: string[];
  cc: string[];
  bcc: string[];
}

export function readRecipient(value: string, field: string): string {
  const address = parseAddress(value.trim(), { allowSingleLabel: true })?.address;
  if (address === undefined)
    throw invalid('message.bad_recipient', `"${value.slice(0, 100)}" is not an e-mail address.`, field).withValues({
      address: value.slice(0, 100),
    });
  return address;
}

/** The most visible role wins. Every refusal names the address. */
export function readRecipients(lists: { to: string[]; cc: string[]; bcc: string[] }): RecipientLists {
  const seen = new Set<string>();
  const read = (values: string[], field: string) =>
    values.flatMap((value) => {
      const address = readRecipient(value, field);
      if (seen.has(address)) return [];
      seen.add(address);
      return [address];
    });
  const result = { to: read(lists.to, 'recipients'), cc: read(lists.cc, 'cc'), bcc: read(lists.bcc, 'bcc') };
  if (seen.size > maxRecipients) {
    throw invalid(
      'message.too_many_recipients',
      `A message can go to ${maxRecipients} people at most; this one has ${seen.size}.`,
      'recipients',
    ).withValues({ n: maxRecipients });
  }
  return result;
}

export function assertPermittedRecipients(
  policy: Policy,
  addresses: string[],
  localAddresses: ReadonlySet<string>,
): void {
  const localOnly = policy.message_can_send_to_local_users_only;
  const domains = new Set(policy.message_recipient_domains);
  const pattern = policy.message_recipient_pattern === '' ? null : compilePattern(policy.message_recipient_pattern);
  for (const address of addresses) {
    const isLocal = localAddresses.has(address);
    if (localOnly && !isLocal) {
      throw invalid(
        'message.recipient_not_allowed',
        `You can send to people of this organisation only; ${address} is not one of them.`,
        'recipients',
      )
        .withValues({ rule: 'local', address })
        .decidedBy('message_can_send_to_local_users_only');
    }
    if (!localOnly && policy.message_limit_recipients) {
      const isPermitted = domains.has(domainOf(address)) || (isLocal && policy.message_can_send_to_local_users);
      if (!isPermitted) throw outsideDomains(policy, address);
    }
    if (pattern !== null && !pattern.matches(address)) {
      throw invalid(
        'message.recipient_not_allowed',
        `Your group can’t send to ${address}. Ask your administrator if you need to.`,
        'recipients',
      )
        .withValues({ rule: 'pattern', address })
        .decidedBy('message_recipient_pattern');
    }
  }
}

function outsideDomains(policy: Policy, address: string): Problem {
  const domains = policy.message_recipient_domains.map((domain) => `@${domain}`);
  const only = domains.length === 0 ? '' : `, only to addresses at ${domains.join(', ')}`;
  return invalid(
    'message.recipient_not_allowed',
    `Your group can’t send to ${address}${only}. Ask your administrator if you need to.`,
    'recipients',
  )
    .withValues({ rule: domains.length === 0 ? 'nobody' : 'domains', address, domains: { anyOf: domains } })
    .decidedBy('message_limit_recipients');
}

/** The names on the screens. */
const audienceNames: Record<AudienceLevel, string> = {
  0: 'Anyone with the link',
  1: 'Anyone who confirms an e-mail address',
  2: 'The people I send to, and everyone at my organisation',
  3: 'Only the people I send to',
  4: 'The people I send to, and others at their organisations',
};

/** The group's rules "default", "may change" and "may use" decide. */
export function resolveAudience(policy: Policy, input: number | undefined): Audience {
  const level = input ?? policy.message_default_authorization;
  const audience = audiences[level];
  if (audience === undefined)
    throw invalid('message.bad_authorization', 'authorization must be from 0 to 4.', 'authorization');
  if (level !== policy.message_default_authorization && !policy.message_can_change_authorization) {
    throw invalid(
      'message.setting_locked',
      'Your group decides who can download; it can’t be changed here. Ask your administrator if you need to.',
      'authorization',
    ).decidedBy('message_can_change_authorization');
  }
  if (!policy[audiencePermission[level as AudienceLevel]]) {
    throw invalid(
      'message.audience_not_permitted',
      `Your group can’t use “${audienceNames[level as AudienceLevel]}”. Ask your administrator if you need to.`,
      'authorization',
    )
      .withValues({ level: String(level) })
      .decidedBy(audiencePermission[level as AudienceLevel]);
  }
  return audience;
}

/** 0 in a request means the highest limit the group permits. */
export function resolveDownloadLimit(policy: Policy, input: number | undefined): number | null {
  const byDefault = policy.message_default_expires_after;
  const max = policy.message_max_expires_after;
  if (input !== undefined && input !== byDefault && !policy.message_can_change_expires_after) {
    throw invalid(
      'message.setting_locked',
      'Your group decides how often files can be downloaded; it can’t be changed here. Ask your administrator if you need to.',
      'expires_after',
    ).decidedBy('message_can_change_expires_after');
  }
  const limit = input ?? byDefault;
  if (limit === 0) return max === 0 ? null : max;
  if (max > 0 && limit > max)
    throw invalid('message.too_many_downloads', `Your group permits at most ${max} downloads.`, 'expires_after')
      .withValues({ n: max })
      .decidedBy('message_max_expires_after');
  return limit;
}

export function readSubject(subject: string): string {
  if (/[\u0000-\u001f\u007f]/.test(subject))
    throw invalid('message.bad_subject', 'A subject is one line without control characters.', 'subject');
  if (Buffer.byteLength(subject) > maxSubjectBytes) {
    const n = charactersWithin(maxSubjectBytes, subject);
    throw invalid('message.subject_too_long', `Use at most ${n} characters for the subject.`, 'subject').withValues({
      n,
    });
  }
  return subject.trim() === '' ? '' : subject.normalize('NFC');
}

/** How many characters of this text fit: the limits count bytes, people count characters. */
function charactersWithin(bytes: number, text: string): number {
  return [...new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true })].length;
}

/** Normalizes line ends. */
export function readBody(body: string): string {
  if (Buffer.byteLength(body) > maxBodyBytes) {
    const n = charactersWithin(maxBodyBytes, body);
    throw invalid(
      'message.body_too_long',
      `Use at most ${n} characters for the text, or put it in a file.`,
      'message',
    ).withValues({ n });
  }
  const text = body.replace(/\r\n?/g, '\n');
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text))
    throw invalid('message.bad_body', 'The text has control characters in it.', 'message');
  return text;
}

export type TextFormat = 'plain' | 'html';

/** Always plain, with cleaned HTML for formatted text (docs/adr/0031). */
export function readText(
  policy: Policy,
  input: string,
  format: TextFormat | undefined,
): Pick<MessageTexts, 'body' | 'bodyHtml'> {
  const body = readBody(input);
  if (format === 'html' && !policy.message_can_use_html)
    throw invalid(
      'message.html_not_permitted',
      'Your group can’t send formatted text. Send it as plain text, or ask your administrator.',
      'message_format',
    ).decidedBy('message_can_use_html');
  const isHtml = format === 'html' || (format === undefined && policy.message_can_use_html && looksFormatted(body));
  if (!isHtml) return { body, bodyHtml: null };
  const html = cleanRichText(body);
  if (html === null)
    throw invalid('message.too_much_markup', 'The text has too many elements. Put it in a file.', 'message');
  const plain = readBody(plainOfRichText(html));
  return plain === '' ? { body: '', bodyHtml: null } : { body: plain, bodyHtml: html };
}

export function assertPermittedSize(policy: Policy, sizeBytes: number): void {
  const megabytes = Math.ceil(sizeBytes / (1024 * 1024));
  if (megabytes <= policy.message_max_size) return;
  const sentence = `These files have ${megabytes} MB together; a message can hold ${policy.message_max_size} MB. Remove a file, or share it as a link.`;
  throw invalid('message.too_large', sentence, 'attachments')
    .withValues({
      size: { bytes: sizeBytes },
      limit: { bytes: policy.message_max_size * 1024 * 1024 },
    })
    .decidedBy('message_max_size');
}
