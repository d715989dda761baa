// The state of a sent message, for its owner.
import { listCounters } from '../../db/downloads/download-counters.ts';
import { listMessageFiles, listRemovedFiles } from '../../db/messages/message-files.ts';
import { listCarryingMails, listTrackedDownloads, listVisits } from '../../db/messages/message-tracking.ts';
import { findMessage, findWholeMessage, type WholeMessage } from '../../db/messages/messages.ts';
import { listRecipients } from '../../db/messages/recipients.ts';
import { findReview } from '../../db/messages/reviews.ts';
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
import { type FileCheck, findFileChecks } from '../scanning/file-checks.ts';

export interface TrackedMail {
  state: MailState;
  kind: 'message' | 'reminder' | 'none';
  at: number | null;
  attempts: number;
  /** Next attempt of a deferred mail. */
  nextAt: number | null;
  problem: 'none' | 'unknown_address' | 'mailbox_full' | 'refused' | 'given_up';
  serverText: string;
}

interface PersonFile {
  attachmentId: string;
  used: number;
  /** Null for no limit. */
  left: number | null;
  isWhole: boolean;
  downloads: TrackedDownload[];
}

export interface TrackedPerson {
  address: string;
  role: Recipient['role'];
  state: PersonState;
  /** The newest. */
  mail: TrackedMail;
  /** Oldest first. */
  mails: (TrackedMail & { createdAt: number })[];
  reminders: { count: number; lastAt: number | null; nextAllowedAt: number | null };
  openedAt: number | null;
  confirmedAt: number | null;
  readAt: number | null;
  filesDone: number;
  downloadLimit: number | null;
  files: PersonFile[];
  /** Removed files they downloaded. */
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
  /** Null once it may be downloaded. */
  check: FileCheck | null;
  downloads: number;
  peopleDone: number;
}

interface TrackedRemovedFile extends TrackedFile {
  removedAt: number;
}

export interface Tracker {
  message: WholeMessage;
  state: MessageStateWord;
  /** Recipients can open it. */
  isOpen: boolean;
  /** Time of expiry or revocation; null while open. */
  endedAt: number | null;
  /** `going`: deleted after the grace period. A legal hold is not shown. */
  filesState: 'none' | 'kept' | 'going' | 'deleted';
  /** Recipients with access. */
  peopleCount: number;
  peopleDone: number;
  people: TrackedPerson[];
  others: { address: string; downloads: (TrackedDownload & { fileName: string })[] }[];
  /** Visits without an address: automated ones, and the others. */
  scanners: LoggedVisit[];
  visits: LoggedVisit[];
  files: TrackedFile[];
  removedFiles: TrackedRemovedFile[];
  mails: CarryingMail[];
  review: { state: 'waiting' | 'released' | 'refused'; reason: string | null; decidedAt: number | null } | null;
  /** More downloads exist than are listed. */
  isCut: boolean;
}

const maxDownloads = 2000;

export async function getSentHead(db: Query, caller: UserCaller, id: string): Promise<MessageHead> {
  return ownSent(await findMessage(db, id), caller);
}

function ownSent<Found extends MessageHead>(message: Found | undefined, caller: UserCaller): Found {
  if (message === undefined || message.ownerId !== caller.userId || message.origin !== 'sent')
    throw notFound('message');
  return message;
}

/** Changes pass their transaction, to record what it read. */
export async function trackMessage(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  db: Query = ctx.db.read,
): Promise<Tracker> {
  const message = ownSent(await findWholeMessage(db, id), caller);
  const now = ctx.clock.now();
  // Sequential: a transaction has one connection.
  const recipients = await listRecipients(db, id);
  const files = await listMessageFiles(db, id);
  const removed = await listRemovedFiles(db, id);
  const mails = await listCarryingMails(db, [id], kindsWith('carriesAccess'));
  const found = await listTrackedDownloads(db, id, maxDownloads + 1);
  const counters = await listCounters(db, id);
  const visits = await listVisits(db, id);
  const checks = await findFileChecks(db, files);
  const downloads = found.slice(0, maxDownloads);
  const used = new Map(counters.map((counter) => [`${counter.identity} ${counter.attachmentId}`, counter.used]));
  const maxReminders = caller.policy.message_reminders;
  const data: TrackerData = { message, files, removed, mails, downloads, visits, used, maxReminders, checks, now };
  const people = recipients.map((recipient) => describePerson(data, recipient));
  const addresses = new Set(recipients.map((recipient) => recipient.address));
  const active = people.filter((person) => person.state !== 'revoked');
  const counts = countPeople(active);
  const state = messageStateAt(message, now);
  const unknown = visits.filter((visit) => visit.address === '');
  return {
    message,
    state: messageStateWord(message, counts, now),
    isOpen: state === 'active',
    endedAt: state === 'active' ? null : state === 'revoked' ? message.updatedAt : message.expiresAt,
    filesState: findFilesState(files, state === 'active'),
    peopleCount: counts.count,
    peopleDone: counts.done,
    people,
    others: groupByAddress(
      downloads.filter((download) => !addresses.has(download.recipient)),
      [...files, ...removed],
    ),
    scanners: unknown.filter((visit) => visit.isScanner),
    visits: unknown.filter((visit) => !visit.isScanner),
    files: files.map((file) => describeFile(data, file, active)),
    removedFiles: removed.map((file) => ({
      ...describeFile(data, file, active),
      removedAt: file.removedAt,
    })),
    mails,
    review: await findDecision(db, message),
    isCut: found.length > maxDownloads,
  };
}

async function findDecision(db: Query, { id, reviewState }: MessageHead): Promise<Tracker['review']> {
  const review = reviewState === null ? null : await findReview(db, id);
  if (reviewState === null || review === null) return null;
  return { state: reviewState, reason: review.reason, decidedAt: review.decidedAt };
}

function findFilesState(files: HeldFile[], isOpen: boolean): Tracker['filesState'] {
  if (files.length === 0) return 'none';
  if (files.every((file) => file.state === 'erased')) return 'deleted';
  return isOpen ? 'kept' : 'going';
}

interface TrackerData {
  message: MessageHead;
  files: HeldFile[];
  removed: HeldFile[];
  mails: CarryingMail[];
  downloads: TrackedDownload[];
  visits: LoggedVisit[];
  used: Map<string, number>;
  maxReminders: number;
  checks: Map<string, FileCheck>;
  now: number;
}

function describePerson(data: TrackerData, recipient: Recipient): TrackedPerson {
  const { address } = recipient;
  const own = data.downloads.filter((download) => download.recipient === address);
  const downloadLimit = limitFor(data.message.downloadLimit, recipient.downloadLimit);
  const files = filesOfPerson(data, data.files, { address, downloadLimit });
  const mails = data.mails.filter((mail) => mail.recipient === address);
  const latest = mails.at(-1);
  const visit = data.visits.find((candidate) => candidate.address === address);
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
    state: personState(facts, { fileCount: data.files.length, isPrivate: data.message.isPrivate }),
    mail: latest === undefined ? noMail : describeMail(latest),
    mails: mails.map((mail) => ({ ...describeMail(mail), createdAt: mail.createdAt })),
    reminders: {
      count: recipient.reminderCount,
      lastAt: recipient.remindedAt,
      nextAllowedAt: nextReminderAt(
        { reminderCount: recipient.reminderCount, lastMailAt: latest?.createdAt ?? null },
        data.maxReminders,
        data.now,
      ),
    },
    openedAt,
    // With the link alone an address is stated, not proven.
    confirmedAt: data.message.audience === 'anyone' ? null : openedAt,
    readAt: recipient.readAt,
    filesDone,
    downloadLimit,
    files,
    removedFiles: filesOfPerson(data, data.removed, { address, downloadLimit }).map((file) => ({ ...file, left: 0 })),
    revokedAt: recipient.revokedAt,
    replacedBy: recipient.replacedBy,
  };
}

function filesOfPerson(
  data: TrackerData,
  files: HeldFile[],
  { address, downloadLimit }: { address: string; downloadLimit: number | null },
): PersonFile[] {
  const own = data.downloads.filter((download) => download.recipient === address);
  return files.map(({ attachmentId }) => {
    const downloads = own.filter((download) => download.attachmentId === attachmentId);
    const used = data.used.get(`${address} ${attachmentId}`) ?? 0;
    return {
      attachmentId,
      used,
      left: downloadLimit === null ? null : Math.max(0, downloadLimit - used),
      isWhole: downloads.some((download) => download.isWhole),
      downloads,
    };
  });
}

const problems = { 'unknown-address': 'unknown_address', 'mailbox-full': 'mailbox_full', refused: 'refused' } as const;
/** A refusal is immediate; a later failure means exhausted retries. */
const retriesExhaustedMs = 86_400_000;

const noMail: TrackedMail = {
  state: 'none',
  kind: 'none',
  at: null,
  attempts: 0,
  nextAt: null,
  problem: 'none',
  serverText: '',
};

function describeMail(mail: CarryingMail): TrackedMail {
  const state = mailStateOf(mail);
  return {
    state,
    kind: mail.kind === 'reminder' ? 'reminder' : 'message',
    at: mail.finishedAt ?? mail.createdAt,
    attempts: mail.attempts,
    nextAt: state === 'deferred' ? mail.nextAt : null,
    problem: state === 'refused' ? problemOf(mail) : 'none',
    serverText: mail.serverText,
  };
}

function problemOf({ finishedAt, createdAt, serverText }: CarryingMail): TrackedMail['problem'] {
  const isExhausted = finishedAt !== null && finishedAt - createdAt >= retriesExhaustedMs;
  return isExhausted ? 'given_up' : problems[problemFrom(serverText)];
}

function earliest(instants: (number | null | undefined)[]): number | null {
  const defined = instants.filter((instant) => instant !== null && instant !== undefined);
  return defined.length === 0 ? null : Math.min(...defined);
}

function describeFile({ downloads, checks }: TrackerData, file: HeldFile, people: TrackedPerson[]): TrackedFile {
  const { attachmentId: id } = file;
  return {
    id,
    fileName: file.fileName,
    sizeBytes: file.sizeBytes,
    contentType: file.contentType,
    sha256: file.sha256,
    state: file.state,
    check: checks.get(id) ?? null,
    downloads: downloads.filter((download) => download.attachmentId === id && download.isWhole).length,
    peopleDone: people.filter(({ files, removedFiles }) =>
      [...files, ...removedFiles].some((own) => own.attachmentId === id && own.isWhole),
    ).length,
  };
}

function groupByAddress(downloads: TrackedDownload[], files: HeldFile[]): Tracker['others'] {
  const names = new Map(files.map((file) => [file.attachmentId, file.fileName]));
  const named = downloads.map((download) => ({ ...download, fileName: names.get(download.attachmentId) ?? '' }));
  return [...Map.groupBy(named, (download) => download.recipient)].map(([address, own]) => ({
    address,
    downloads: own,
  }));
}
