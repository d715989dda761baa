// What became of one sent message, for its owner only: each person, each file, everybody else. Reads only.
import { listCounters } from '../../db/downloads/download-counters.ts';
import { listMessageFiles, listRemovedFiles } from '../../db/messages/message-files.ts';
import { listCarryingMails, listTrackedDownloads, listVisits } from '../../db/messages/message-tracking.ts';
import { findMessage, findWholeMessage, type WholeMessage } from '../../db/messages/messages.ts';
import { listRecipients } from '../../db/messages/recipients.ts';
import type { Query } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type HeldFile, limitFor, type MessageHead, messageStateAt, type Recipient } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import {
  type CarryingMail,
  countPeople,
  type LoggedVisit,
  type MailState,
  type MessageStateWord,
  mailStateOf,
  messageStateWord,
  nextReminderAt,
  type PersonFacts,
  type PersonState,
  personState,
  type TrackedDownload,
} from '../../domain/tracking.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import { problemFrom } from '../../mail/kinds/delivery-problem.ts';
import type { Ctx } from '../context.ts';

export interface TrackedMail extends CarryingMail {
  problem: 'none' | 'unknown_address' | 'mailbox_full' | 'refused' | 'given_up';
}

interface PersonFile {
  attachmentId: string;
  used: number;
  isWhole: boolean;
  downloads: TrackedDownload[];
}

export interface TrackedPerson {
  address: string;
  role: Recipient['role'];
  state: PersonState;
  mail: { state: MailState; latest: TrackedMail | null };
  /** Oldest first. */
  mails: TrackedMail[];
  reminders: { count: number; lastAt: number | null; nextAllowedAt: number | null };
  openedAt: number | null;
  confirmedAt: number | null;
  readAt: number | null;
  filesDone: number;
  downloadLimit: number | null;
  files: PersonFile[];
  /** What they have of files that were taken out of the message. */
  removedFiles: PersonFile[];
  revokedAt: number | null;
  replacedBy: string;
}

export interface TrackedFile {
  id: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  state: HeldFile['state'];
  downloads: number;
  peopleDone: number;
}

interface TrackedRemovedFile extends TrackedFile {
  removedAt: number;
}

export interface Tracker {
  message: WholeMessage;
  state: MessageStateWord;
  /** People can still open it. */
  isOpen: boolean;
  /** When it expired or was withdrawn; null while it is open. */
  endedAt: number | null;
  /** `going`: they are deleted after the grace time. Nothing shows that a legal hold keeps them. */
  filesState: 'none' | 'kept' | 'going' | 'deleted';
  peopleDone: number;
  people: TrackedPerson[];
  others: { address: string; downloads: TrackedDownload[] }[];
  visits: LoggedVisit[];
  files: TrackedFile[];
  /** Taken out of the message by its sender. */
  removedFiles: TrackedRemovedFile[];
  mails: CarryingMail[];
  /** There are more downloads than are listed here. */
  isCut: boolean;
}

const mostDownloads = 2000;

/** The caller's own sent message; everybody else learns nothing. */
export async function getSentHead(db: Query, caller: UserCaller, id: string): Promise<MessageHead> {
  return ownSent(await findMessage(db, id), caller);
}

function ownSent<Found extends MessageHead>(message: Found | undefined, caller: UserCaller): Found {
  if (message === undefined || message.ownerId !== caller.userId || message.origin !== 'sent')
    throw notFound('message');
  return message;
}

/** `db` is the transaction of a change that must record what it saw. */
export async function trackMessage(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  db: Query = ctx.db.read,
): Promise<Tracker> {
  const message = ownSent(await findWholeMessage(db, id), caller);
  const now = ctx.clock.now();
  // One after the other: a transaction has one connection.
  const recipients = await listRecipients(db, id);
  const files = await listMessageFiles(db, id);
  const removed = await listRemovedFiles(db, id);
  const mails = await listCarryingMails(db, [id], kindsWith('carriesAccess'));
  const found = await listTrackedDownloads(db, id, mostDownloads + 1);
  const counters = await listCounters(db, id);
  const visits = await listVisits(db, id);
  const downloads = found.slice(0, mostDownloads);
  const used = new Map(counters.map((counter) => [`${counter.identity} ${counter.attachmentId}`, counter.used]));
  const mostReminders = caller.policy.message_reminders;
  const seen: Seen = { message, files, removed, mails, downloads, visits, used, mostReminders, now };
  const people = recipients.map((recipient) => describePerson(seen, recipient));
  const known = new Set(recipients.map((recipient) => recipient.address));
  const active = people.filter((person) => person.state !== 'revoked');
  const counts = countPeople(active);
  const state = messageStateAt(message, now);
  return {
    message,
    state: messageStateWord(message, counts, now),
    isOpen: state === 'active',
    endedAt: state === 'active' ? null : state === 'revoked' ? message.updatedAt : message.expiresAt,
    filesState: findFilesState(files, state === 'active'),
    peopleDone: counts.done,
    people,
    others: groupByAddress(downloads.filter((download) => !known.has(download.recipient))),
    visits,
    files: files.map((file) => describeFile(file, downloads, active)),
    removedFiles: removed.map((file) => ({
      ...describeFile(file, downloads, active),
      removedAt: file.removedAt,
    })),
    mails,
    isCut: found.length > mostDownloads,
  };
}

function findFilesState(files: HeldFile[], isOpen: boolean): Tracker['filesState'] {
  if (files.length === 0) return 'none';
  if (files.every((file) => file.state === 'erased')) return 'deleted';
  return isOpen ? 'kept' : 'going';
}

interface Seen {
  message: MessageHead;
  files: HeldFile[];
  removed: HeldFile[];
  mails: CarryingMail[];
  downloads: TrackedDownload[];
  visits: LoggedVisit[];
  used: Map<string, number>;
  mostReminders: number;
  now: number;
}

function describePerson(seen: Seen, recipient: Recipient): TrackedPerson {
  const { address } = recipient;
  const own = seen.downloads.filter((download) => download.recipient === address);
  const files = filesOfPerson(seen, seen.files, address);
  const mails = seen.mails.filter((mail) => mail.recipient === address).map(describeMail);
  const latest = mails.at(-1);
  const visit = seen.visits.find((candidate) => candidate.address === address);
  const openedAt = earliest([visit?.firstAt, recipient.readAt, ...own.map((download) => download.at)]);
  const filesDone = files.filter((file) => file.isWhole).length;
  const facts: PersonFacts = {
    isRevoked: recipient.state === 'revoked',
    mail: mailStateOf(latest),
    hasOpened: openedAt !== null,
    hasRead: recipient.readAt !== null,
    wholeFiles: filesDone,
    hasPart: files.some((file) => file.downloads.length > 0),
  };
  return {
    address,
    role: recipient.role,
    state: personState(facts, { fileCount: seen.files.length, isPrivate: seen.message.isPrivate }),
    mail: { state: facts.mail, latest: latest ?? null },
    mails,
    reminders: {
      count: recipient.reminderCount,
      lastAt: recipient.remindedAt,
      nextAllowedAt: nextReminderAt(
        { reminderCount: recipient.reminderCount, lastMailAt: latest?.createdAt ?? null },
        seen.mostReminders,
        seen.now,
      ),
    },
    openedAt,
    // Whoever is let in by name has proven it; with the link alone an address is stated, not proven.
    confirmedAt: seen.message.audience === 'anyone' ? null : openedAt,
    readAt: recipient.readAt,
    filesDone,
    downloadLimit: limitFor(seen.message.downloadLimit, recipient.downloadLimit),
    files,
    removedFiles: filesOfPerson(seen, seen.removed, address),
    revokedAt: recipient.revokedAt,
    replacedBy: recipient.replacedBy,
  };
}

function filesOfPerson(seen: Seen, files: HeldFile[], address: string): PersonFile[] {
  const own = seen.downloads.filter((download) => download.recipient === address);
  return files.map(({ attachmentId }) => {
    const downloads = own.filter((download) => download.attachmentId === attachmentId);
    return {
      attachmentId,
      used: seen.used.get(`${address} ${attachmentId}`) ?? 0,
      isWhole: downloads.some((download) => download.isWhole),
      downloads,
    };
  });
}

const problems = { 'unknown-address': 'unknown_address', 'mailbox-full': 'mailbox_full', refused: 'refused' } as const;
/** A refusal comes at once; what failed after this long was attempted again and again. */
const givenUpAfterMs = 86_400_000;

function describeMail(mail: CarryingMail): TrackedMail {
  if (mailStateOf(mail) !== 'refused') return { ...mail, problem: 'none' };
  const isGivenUp = mail.finishedAt !== null && mail.finishedAt - mail.createdAt >= givenUpAfterMs;
  return { ...mail, problem: isGivenUp ? 'given_up' : problems[problemFrom(mail.serverText)] };
}

function earliest(instants: (number | null | undefined)[]): number | null {
  const known = instants.filter((instant) => instant !== null && instant !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

function describeFile(file: HeldFile, downloads: TrackedDownload[], people: TrackedPerson[]): TrackedFile {
  const { attachmentId: id } = file;
  return {
    id,
    fileName: file.fileName,
    sizeBytes: file.sizeBytes,
    contentType: file.contentType,
    sha256: file.sha256,
    state: file.state,
    downloads: downloads.filter((download) => download.attachmentId === id && download.isWhole).length,
    peopleDone: people.filter(({ files, removedFiles }) =>
      [...files, ...removedFiles].some((own) => own.attachmentId === id && own.isWhole),
    ).length,
  };
}

function groupByAddress(downloads: TrackedDownload[]): Tracker['others'] {
  const groups = Map.groupBy(downloads, (download) => download.recipient);
  return [...groups].map(([address, own]) => ({ address, downloads: own }));
}
