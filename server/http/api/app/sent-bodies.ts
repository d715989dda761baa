// The tracker on the wire: built field by field from what the action found.

import type {
  ActivityLineBody,
  ExposureBody,
  PersonBody,
  SentItemBody,
  SentMessageBody,
  TrackedDownloadBody,
} from '#contract/app/messages.ts';
import { audienceDescriptions } from '#contract/audiences.ts';
import { humanSize } from '#contract/sizes.ts';
import type { Names } from '../../../actions/contacts/names.ts';
import type { Ctx } from '../../../actions/context.ts';
import type { Exposure } from '../../../actions/messages/exposure.ts';
import { messageUrl } from '../../../actions/messages/mails.ts';
import type { SenderOffers } from '../../../actions/messages/offers.ts';
import type { SentMessage } from '../../../actions/messages/sent.ts';
import type { ActivityLine } from '../../../actions/messages/timeline.ts';
import type { TrackedFile, TrackedPerson, Tracker } from '../../../actions/messages/tracker.ts';
import { levelOf } from '../../../domain/audience.ts';
import { mailStateOf, type TrackedDownload } from '../../../domain/tracking.ts';
import { isoInstant } from '../../../lib/dates.ts';

/** People of a message that a list names; the rest is a number. */
export const shownPeople = 3;

export function sentItemBody({ message, ...item }: SentMessage): SentItemBody {
  return {
    id: message.id,
    subject: message.subject,
    people: item.addresses.slice(0, shownPeople),
    people_total: item.addresses.length,
    file_count: item.files.count,
    first_file: item.files.names[0] ?? '',
    size: message.sizeBytes,
    sent_at: isoInstant(message.createdAt),
    expires_at: message.expiresOn,
    private_message: message.isPrivate,
    state: item.state,
    people_count: item.peopleCount,
    people_done: item.peopleDone,
  };
}

export function sentMessageBody(
  ctx: Ctx,
  tracker: Tracker,
  { offers, exposures, names }: { offers: SenderOffers; exposures: Exposure[]; names: Names },
): SentMessageBody {
  const { message } = tracker;
  return {
    id: message.id,
    url: messageUrl(ctx, message.id),
    subject: message.subject,
    text: message.body,
    sender: message.sender,
    sent_at: isoInstant(message.createdAt),
    expires_at: message.expiresOn,
    ends_at: isoInstant(message.expiresAt),
    authorization: levelOf(message.audience),
    authorization_description: audienceDescriptions[message.audience],
    private_message: message.isPrivate,
    expires_after: message.downloadLimit ?? 0,
    size: message.sizeBytes,
    state: tracker.state,
    people_count: tracker.people.filter((person) => person.state !== 'revoked').length,
    people_done: tracker.peopleDone,
    is_open: tracker.isOpen,
    ended_at: orNull(tracker.endedAt),
    files_state: tracker.filesState,
    actions: actionsBody(offers),
    people: tracker.people.map(personBody),
    names,
    others: otherBodies(tracker),
    scanners: visitBodies(tracker, (visit) => visit.address === '' && visit.isScanner),
    visits: visitBodies(tracker, (visit) => visit.address === '' && !visit.isScanner),
    files: tracker.files.map(fileBody),
    removed_files: tracker.removedFiles.map((file) => ({ ...fileBody(file), removed_at: isoInstant(file.removedAt) })),
    exposures: exposures.map(exposureBody),
    is_cut: tracker.isCut,
  };
}

function otherBodies(tracker: Tracker): SentMessageBody['others'] {
  const names = new Map([...tracker.files, ...tracker.removedFiles].map((file) => [file.id, file.fileName]));
  return tracker.others.map((other) => ({
    address: other.address,
    downloads: other.downloads.map((download) => ({
      attachment_id: download.attachmentId,
      filename: names.get(download.attachmentId) ?? '',
      download: downloadBody(download),
    })),
  }));
}

function fileBody(file: TrackedFile): SentMessageBody['files'][number] {
  return {
    id: file.id,
    filename: file.fileName,
    size: file.sizeBytes,
    size_human: humanSize(file.sizeBytes),
    content_type: file.contentType,
    sha256: file.sha256,
    state: fileStates[file.state],
    downloads: file.downloads,
    people_done: file.peopleDone,
  };
}

const fileStates = {
  sealing: 'checking',
  ready: 'ready',
  damaged: 'damaged',
  failed: 'damaged',
  erased: 'deleted',
} as const satisfies Record<TrackedFile['state'], string>;

function actionsBody(offers: SenderOffers): SentMessageBody['actions'] {
  return {
    remind: offers.remind,
    extend_to: offers.extendTo,
    allow_more_to: offers.allowMoreTo,
    add_recipient: offers.mayAddRecipient,
    revoke: offers.mayRevoke,
    delete_files: offers.mayDeleteFiles,
    remove_files: offers.removeFiles,
  };
}

function personBody(person: TrackedPerson): PersonBody {
  return {
    address: person.address,
    role: person.role,
    state: person.state,
    mail: mailBody(person.mail.latest),
    mails: person.mails.map((mail) => ({ ...mailBody(mail), queued_at: isoInstant(mail.createdAt) })),
    reminders: {
      count: person.reminders.count,
      last_at: orNull(person.reminders.lastAt),
      next_allowed_at: orNull(person.reminders.nextAllowedAt),
    },
    opened_at: orNull(person.openedAt),
    confirmed_at: orNull(person.confirmedAt),
    read_at: orNull(person.readAt),
    files_done: person.filesDone,
    download_limit: person.downloadLimit,
    files: person.files.map((file) => personFileBody(person, file)),
    removed_files: person.removedFiles.map((file) => ({ ...personFileBody(person, file), left: 0 })),
    revoked_at: orNull(person.revokedAt),
    replaced_by: person.replacedBy,
  };
}

function personFileBody(
  { downloadLimit }: TrackedPerson,
  file: TrackedPerson['files'][number],
): PersonBody['files'][number] {
  return {
    attachment_id: file.attachmentId,
    used: file.used,
    left: downloadLimit === null ? null : Math.max(0, downloadLimit - file.used),
    whole: file.isWhole,
    downloads: file.downloads.map(downloadBody),
  };
}

function mailBody(mail: TrackedPerson['mails'][number] | null): PersonBody['mail'] {
  const state = mailStateOf(mail ?? undefined);
  return {
    state,
    kind: mail === null ? 'none' : mail.kind === 'reminder' ? 'reminder' : 'message',
    at: mail === null ? null : isoInstant(mail.finishedAt ?? mail.createdAt),
    attempts: mail?.attempts ?? 0,
    next_at: mail !== null && state === 'deferred' ? isoInstant(mail.nextAt) : null,
    problem: mail?.problem ?? 'none',
    server_words: mail?.serverText ?? '',
  };
}

function downloadBody(download: TrackedDownload): TrackedDownloadBody {
  return {
    id: download.number,
    at: isoInstant(download.at),
    bytes: download.bytes,
    whole: download.isWhole,
    is_running: download.isRunning,
    country: download.country,
    city: download.city,
    device: download.device,
    browser: download.browser,
    ip: download.ip,
  };
}

function visitBodies(
  tracker: Tracker,
  isWanted: (visit: Tracker['visits'][number]) => boolean,
): SentMessageBody['visits'] {
  return tracker.visits.filter(isWanted).map((visit) => ({
    first_at: isoInstant(visit.firstAt),
    last_at: isoInstant(visit.lastAt),
    count: visit.count,
    browser: visit.browser,
    device: visit.device,
    network: visit.network,
    country: visit.country,
  }));
}

export function exposureBody(exposure: Exposure): ExposureBody {
  return {
    address: exposure.address,
    at: isoInstant(exposure.at),
    mails: exposure.mails.map((mail) => ({
      kind: mail.kind,
      accepted_at: isoInstant(mail.acceptedAt),
      server_words: mail.serverWords,
    })),
    is_mail_on_its_way: exposure.isMailOnItsWay,
    text_in_mail: exposure.isTextInMail,
    names_in_mail: exposure.areNamesInMail,
    opened_at: orNull(exposure.openedAt),
    read_at: orNull(exposure.readAt),
    files: exposure.files.map((file) => ({
      attachment_id: file.attachmentId,
      filename: file.fileName,
      size: file.sizeBytes,
      whole: file.isWhole,
      bytes: file.bytes,
      downloads: file.downloads.map(downloadBody),
    })),
    is_open_to_others: exposure.isOpenToOthers,
  };
}

export function activityBody(line: ActivityLine): ActivityLineBody {
  return {
    id: String(line.seq),
    at: isoInstant(line.at),
    action: line.action,
    kind: line.kind,
    actor: line.actor,
    address: line.address,
    facts: line.facts,
    ip: line.ip,
  };
}

function orNull(instant: number | null): string | null {
  return instant === null ? null : isoInstant(instant);
}

/** The names of the fields in a table of it, in the order of `activityCells`. */
export const activityColumns = ['at', 'kind', 'action', 'actor', 'address', 'ip', 'facts'];

export function activityCells(line: ActivityLine): string[] {
  const { at, kind, action, actor, address, ip, facts } = activityBody(line);
  return [at, kind, action, actor, address, ip, JSON.stringify(facts)];
}
