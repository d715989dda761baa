// What became of one sent message, for its owner only: each person, each file, everybody else, and what can be done
// now. Reads only.

import {
  type CarryingMail,
  listCarryingMails,
  listCounters,
  listTrackedDownloads,
  listVisits,
} from '../../db/message-tracking.ts';
import { findMessage, listMessageFiles, listRecipients, type MessageRow } from '../../db/messages.ts';
import type {
  AttachmentsTable,
  DownloadsTable,
  MessageRecipientsTable,
  MessageVisitsTable,
  Query,
} from '../../db/schema.ts';
import { audiences } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { limitFor } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import {
  type MailState,
  type MessageStateWord,
  mailStateOf,
  messageStateWord,
  nextReminderAt,
  type PersonFacts,
  type PersonState,
  personState,
} from '../../domain/tracking.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import { problemFrom } from '../../mail/kinds/delivery-problem.ts';
import type { Ctx } from '../context.ts';

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

export interface TrackedMail extends CarryingMail {
  problem: 'none' | 'unknown_address' | 'mailbox_full' | 'refused' | 'given_up';
}

export interface TrackedPerson {
  address: string;
  role: 'to' | 'cc' | 'bcc';
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
  files: { attachmentId: string; used: number; isWhole: boolean; downloads: TrackedDownload[] }[];
  revokedAt: number | null;
  replacedBy: string;
}

export interface TrackedFile {
  id: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  state: AttachmentsTable['state'];
  downloads: number;
  peopleDone: number;
}

export interface Tracker {
  row: MessageRow;
  subject: string;
  body: string;
  state: MessageStateWord;
  peopleDone: number;
  people: TrackedPerson[];
  others: { address: string; downloads: TrackedDownload[] }[];
  visits: MessageVisitsTable[];
  files: TrackedFile[];
  mails: CarryingMail[];
  /** Some downloads are not told here. */
  isCut: boolean;
}

const mostDownloads = 2000;

/** The caller's own sent message; everybody else learns nothing. */
export async function getSentRow(db: Query, caller: UserCaller, id: string): Promise<MessageRow> {
  const row = await findMessage(db, id);
  if (row === undefined || row.owner_id !== caller.userId || row.origin !== 'sent') throw notFound('message');
  return row;
}

/** `db` is the transaction of a change that must record what it saw. */
export async function trackMessage(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  db: Query = ctx.db.read,
): Promise<Tracker> {
  const row = await getSentRow(db, caller, id);
  // One after the other: a transaction has one connection.
  const recipients = await listRecipients(db, id);
  const files = await listMessageFiles(db, id);
  const mails = await listCarryingMails(db, [id], kindsWith('carriesAccess'));
  const rows = await listTrackedDownloads(db, id, mostDownloads + 1);
  const counters = await listCounters(db, id);
  const visits = await listVisits(db, id);
  const downloads = rows.slice(0, mostDownloads).map(describeDownload);
  const used = new Map(counters.map((counter) => [`${counter.identity} ${counter.attachment_id}`, counter.used]));
  const most = caller.policy.message_reminders;
  const seen: Seen = { row, files, mails, downloads, visits, used, most, now: ctx.clock.now() };
  const people = recipients.map((recipient) => describePerson(seen, recipient));
  const known = new Set(recipients.map((recipient) => recipient.address));
  const active = people.filter((person) => person.state !== 'revoked');
  const peopleDone = active.filter((person) => person.state === 'done').length;
  return {
    row,
    subject: ctx.keys.openText('text', row.subject_sealed, `${id}/subject`),
    body: ctx.keys.openText('text', row.body_sealed, `${id}/body`),
    state: messageStateWord({ state: row.state, expiresAt: row.expires_at }, countPeople(active), ctx.clock.now()),
    peopleDone,
    people,
    others: groupByAddress(downloads.filter((download) => !known.has(download.recipient))),
    visits,
    files: files.map((file) => describeFile(ctx, file, downloads, active)),
    mails,
    isCut: rows.length > mostDownloads,
  };
}

export function countPeople(people: { state: PersonState }[]) {
  const withState = (...states: PersonState[]) => people.filter((person) => states.includes(person.state)).length;
  return {
    count: people.length,
    done: withState('done'),
    begun: withState('done', 'partly'),
    problems: withState('problem'),
  };
}

interface Seen {
  row: MessageRow;
  files: { id: string }[];
  mails: CarryingMail[];
  downloads: TrackedDownload[];
  visits: MessageVisitsTable[];
  used: Map<string, number>;
  most: number;
  now: number;
}

function describePerson(seen: Seen, recipient: MessageRecipientsTable): TrackedPerson {
  const { address } = recipient;
  const own = seen.downloads.filter((download) => download.recipient === address);
  const files = seen.files.map((file) => {
    const downloads = own.filter((download) => download.attachmentId === file.id);
    return {
      attachmentId: file.id,
      used: seen.used.get(`${address} ${file.id}`) ?? 0,
      isWhole: downloads.some((download) => download.isWhole),
      downloads,
    };
  });
  const mails = seen.mails.filter((mail) => mail.recipient === address).map(describeMail);
  const latest = mails.at(-1);
  const visit = seen.visits.find((candidate) => candidate.address === address);
  const openedAt = earliest([visit?.first_at, recipient.read_at, ...own.map((download) => download.at)]);
  const filesDone = files.filter((file) => file.isWhole).length;
  const facts: PersonFacts = {
    isRevoked: recipient.state === 'revoked',
    mail: mailStateOf(latest),
    hasOpened: openedAt !== null,
    hasRead: recipient.read_at !== null,
    wholeFiles: filesDone,
    hasPart: own.length > 0,
  };
  const reminders = { reminderCount: recipient.reminder_count, remindedAt: recipient.reminded_at };
  return {
    address,
    role: recipient.role,
    state: personState(facts, { fileCount: seen.files.length, isPrivate: seen.row.is_private === 1 }),
    mail: { state: facts.mail, latest: latest ?? null },
    mails,
    reminders: {
      count: recipient.reminder_count,
      lastAt: recipient.reminded_at,
      nextAllowedAt: nextReminderAt(reminders, seen.most, seen.now),
    },
    openedAt,
    // Whoever is let in by name has proven it; with the link alone an address is told, not asked for.
    confirmedAt: audiences[seen.row.audience] === 'anyone' ? null : openedAt,
    readAt: recipient.read_at,
    filesDone,
    downloadLimit: limitFor(seen.row.download_limit, recipient.download_limit),
    files,
    revokedAt: recipient.revoked_at,
    replacedBy: recipient.replaced_by,
  };
}

const problems = { 'unknown-address': 'unknown_address', 'mailbox-full': 'mailbox_full', refused: 'refused' } as const;
/** A refusal comes at once; what failed after this long was tried again and again. */
const givenUpAfterMs = 86_400_000;

function describeMail(mail: CarryingMail): TrackedMail {
  if (mailStateOf(mail) !== 'refused') return { ...mail, problem: 'none' };
  const isGivenUp = mail.finished_at !== null && mail.finished_at - mail.created_at >= givenUpAfterMs;
  return { ...mail, problem: isGivenUp ? 'given_up' : problems[problemFrom(mail.server_text)] };
}

function earliest(instants: (number | null | undefined)[]): number | null {
  const known = instants.filter((instant) => instant !== null && instant !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

function describeDownload(row: DownloadsTable): TrackedDownload {
  return {
    number: row.number,
    attachmentId: row.attachment_id,
    recipient: row.recipient,
    at: row.granted_at,
    bytes: row.sent_bytes,
    isWhole: row.outcome === 'complete',
    isRunning: row.outcome === 'granted',
    country: row.country_name,
    city: row.city,
    device: row.os === '' ? row.platform : row.os,
    browser: row.browser,
    ip: row.remote_ip,
  };
}

function describeFile(
  ctx: Ctx,
  file: AttachmentsTable,
  downloads: TrackedDownload[],
  people: TrackedPerson[],
): TrackedFile {
  return {
    id: file.id,
    fileName: ctx.keys.openText('name', file.name_sealed, file.id),
    sizeBytes: file.size_bytes,
    contentType: file.content_type,
    sha256: file.sha256,
    state: file.state,
    downloads: downloads.filter((download) => download.attachmentId === file.id && download.isWhole).length,
    peopleDone: people.filter((person) => person.files.some((own) => own.attachmentId === file.id && own.isWhole))
      .length,
  };
}

function groupByAddress(downloads: TrackedDownload[]): Tracker['others'] {
  const groups = new Map<string, TrackedDownload[]>();
  for (const download of downloads)
    groups.set(download.recipient, [...(groups.get(download.recipient) ?? []), download]);
  return [...groups].map(([address, own]) => ({ address, downloads: own }));
}
