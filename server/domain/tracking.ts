import { waitingForSetup } from './mail-settings.ts';
import { isInReview, type MessageHead, messageStateAt } from './messages.ts';

export type MailState = 'none' | 'queued' | 'deferred' | 'accepted' | 'refused' | 'cancelled';
export type PersonState = 'waiting' | 'problem' | 'delivered' | 'opened' | 'partly' | 'done' | 'revoked';
export type MessageStateWord =
  | 'in_review'
  | 'on_its_way'
  | 'partly'
  | 'all'
  | 'problem'
  | 'ending'
  | 'expired'
  | 'refused'
  | 'stopped';

export interface CarryingMail {
  id: string;
  kind: string;
  recipient: string;
  messageId: string;
  state: 'pending' | 'sending' | 'sent' | 'failed' | 'cancelled' | 'held';
  attempts: number;
  nextAt: number;
  /** The mail server's reply. */
  serverText: string;
  createdAt: number;
  finishedAt: number | null;
}

export interface TrackedDownload {
  number: number;
  attachmentId: string;
  recipient: string;
  at: number;
  bytes: number;
  isWhole: boolean;
  isRunning: boolean;
  country: string;
  city: string;
  device: string;
  browser: string;
  ip: string;
}

/** Informational only; limited per message. */
export interface LoggedVisit {
  /** May be empty. */
  address: string;
  firstAt: number;
  lastAt: number;
  count: number;
  browser: string;
  device: string;
  network: string;
  country: string;
  isScanner: boolean;
}

/** Permanently failed is refused, waiting after an attempt is deferred; without a mail server there is no attempt. */
export function mailStateOf(
  mail: (Pick<CarryingMail, 'state' | 'attempts'> & { serverText?: string }) | undefined,
): MailState {
  if (mail?.serverText === waitingForSetup) return 'queued';
  if (mail === undefined) return 'none';
  if (mail.state === 'sent') return 'accepted';
  if (mail.state === 'failed') return 'refused';
  if (mail.state === 'cancelled') return 'cancelled';
  return mail.state === 'pending' && mail.attempts > 0 ? 'deferred' : 'queued';
}

export interface PersonFacts {
  isRevoked: boolean;
  mail: MailState;
  hasOpened: boolean;
  hasRead: boolean;
  wholeFiles: number;
  hasPart: boolean;
}

export interface MessageFacts {
  fileCount: number;
  isPrivate: boolean;
}

/** Without files, the text by page or mail. */
export function isDone(person: PersonFacts, message: MessageFacts): boolean {
  if (message.fileCount > 0) return person.wholeFiles >= message.fileCount;
  return message.isPrivate ? person.hasRead : person.hasOpened || person.mail === 'accepted';
}

export function personState(person: PersonFacts, message: MessageFacts): PersonState {
  if (person.isRevoked) return 'revoked';
  if (isDone(person, message)) return 'done';
  if (person.wholeFiles > 0 || person.hasPart) return 'partly';
  if (person.hasOpened) return 'opened';
  if (person.mail === 'refused') return 'problem';
  return person.mail === 'accepted' ? 'delivered' : 'waiting';
}

export const endingMs = 3 * 86_400_000;

/** Never right after sending. */
export function isEndingSoon(message: { createdAt: number; expiresAt: number }, now: number): boolean {
  const leftMs = message.expiresAt - now;
  return leftMs > 0 && leftMs <= Math.min(endingMs, (message.expiresAt - message.createdAt) / 2);
}

export interface PeopleCounts {
  count: number;
  done: number;
  begun: number;
  problems: number;
}

export function countPeople(people: readonly { state: PersonState }[]): PeopleCounts {
  const withState = (...states: PersonState[]) => people.filter((person) => states.includes(person.state)).length;
  return {
    count: people.length,
    done: withState('done'),
    begun: withState('done', 'partly'),
    problems: withState('problem'),
  };
}

/** Ignores revoked recipients. */
export function messageStateWord(
  message: Pick<MessageHead, 'state' | 'expiresAt' | 'reviewState'>,
  people: PeopleCounts,
  now: number,
): MessageStateWord {
  const state = messageStateAt(message, now);
  if (message.reviewState === 'refused') return 'refused';
  if (state !== 'active') return state === 'revoked' ? 'stopped' : 'expired';
  if (isInReview(message)) return 'in_review';
  if (people.problems > 0) return 'problem';
  if (people.count > 0 && people.done === people.count) return 'all';
  if (message.expiresAt - now <= endingMs) return 'ending';
  return people.begun > 0 ? 'partly' : 'on_its_way';
}

const scannerNames =
  /bot\b|crawl|spider|scan|preview|safelinks|proofpoint|mimecast|barracuda|symantec|trendmicro|fireeye|forcepoint|cisco|sophos|headless|phantom|slurp|facebookexternalhit|slack|whatsapp|telegram|skype|teams\b|monitor|validator|lighthouse/i;

/**
 * A guess: scanners send HEAD, name themselves, or lack headers that every browser sends. A visitor with a proven
 * address never counts as one.
 */
export function looksLikeScanner(visit: {
  method: string;
  agent: string;
  platform: string;
  hasLanguage: boolean;
  fetchMode: string | undefined;
}): boolean {
  if (visit.method === 'HEAD' || visit.agent.trim() === '') return true;
  if (visit.platform === 'bot' || visit.platform === 'cli' || scannerNames.test(visit.agent)) return true;
  return !visit.hasLanguage && visit.fetchMode !== 'navigate';
}

const reminderEveryMs = 86_400_000;

/** Null: no more. */
export function nextReminderAt(
  person: { reminderCount: number; lastMailAt: number | null },
  most: number,
  now: number,
): number | null {
  if (person.reminderCount >= most) return null;
  return person.lastMailAt === null ? now : Math.max(now, person.lastMailAt + reminderEveryMs);
}
