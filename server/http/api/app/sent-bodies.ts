// The tracker on the wire: built field by field from what the action found.
import type {
  ActivityLineBody,
  ExposureBody,
  PersonBody,
  SentItemBody,
  SentMessageBody,
  TrackedDownloadBody,
} from '#contract/app/messages.ts';
import { humanSize } from '#contract/sizes.ts';
import type { Ctx } from '../../../actions/context.ts';
import type { Exposure } from '../../../actions/messages/exposure.ts';
import { messageUrl } from '../../../actions/messages/mails.ts';
import { refusalFor } from '../../../actions/messages/reminders.ts';
import type { SentItem } from '../../../actions/messages/sent.ts';
import type { ActivityLine } from '../../../actions/messages/timeline.ts';
import type { TrackedDownload, TrackedFile, TrackedPerson, Tracker } from '../../../actions/messages/tracker.ts';
import { audienceDescriptions, audiences } from '../../../domain/audience.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import { maxRecipients } from '../../../domain/messages.ts';
import { mailStateOf } from '../../../domain/tracking.ts';
import { addDays, dateOf, isoInstant } from '../../../lib/dates.ts';

export function sentItemBody(item: SentItem): SentItemBody {
  const { row } = item;
  return {
    id: row.id,
    subject: item.subject,
    people: item.addresses.slice(0, 3),
    people_total: item.addresses.length,
    file_count: item.fileNames.length,
    first_file: item.fileNames[0] ?? '',
    size: row.size_bytes,
    sent_at: isoInstant(row.created_at),
    expires_at: row.expires_on,
    private_message: row.is_private === 1,
    state: item.state,
    people_count: item.peopleCount,
    people_done: item.peopleDone,
  };
}

export function sentMessageBody(
  ctx: Ctx,
  caller: UserCaller,
  tracker: Tracker,
  exposures: Exposure[],
): SentMessageBody {
  const { row } = tracker;
  const audience = audiences[row.audience]!;
  const isOpen = tracker.state !== 'stopped' && tracker.state !== 'expired';
  const names = new Map(tracker.files.map((file) => [file.id, file.fileName]));
  return {
    id: row.id,
    url: messageUrl(ctx, row.id),
    subject: tracker.subject,
    text: tracker.body,
    sender: row.sender,
    sent_at: isoInstant(row.created_at),
    expires_at: row.expires_on,
    ends_at: isoInstant(row.expires_at),
    authorization: row.audience,
    authorization_description: audienceDescriptions[audience],
    private_message: row.is_private === 1,
    expires_after: row.download_limit ?? 0,
    size: row.size_bytes,
    state: tracker.state,
    people_count: tracker.people.filter((person) => person.state !== 'revoked').length,
    people_done: tracker.peopleDone,
    is_open: isOpen,
    ended_at: isOpen ? null : isoInstant(tracker.state === 'stopped' ? row.updated_at : row.expires_at),
    files_state: filesState(tracker, isOpen),
    actions: actionsBody(ctx, caller, tracker, isOpen),
    people: tracker.people.map(personBody),
    others: tracker.others.map((other) => ({
      address: other.address,
      downloads: other.downloads.map((download) => ({
        attachment_id: download.attachmentId,
        filename: names.get(download.attachmentId) ?? '',
        download: downloadBody(download),
      })),
    })),
    scanners: visitBodies(tracker, (visit) => visit.address === '' && visit.is_scanner === 1),
    visits: visitBodies(tracker, (visit) => visit.address === '' && visit.is_scanner === 0),
    files: tracker.files.map((file) => ({
      id: file.id,
      filename: file.fileName,
      size: file.sizeBytes,
      size_human: humanSize(file.sizeBytes),
      content_type: file.contentType,
      sha256: file.sha256,
      state: fileStates[file.state],
      downloads: file.downloads,
      people_done: file.peopleDone,
    })),
    exposures: exposures.map(exposureBody),
    is_cut: tracker.isCut,
  };
}

const fileStates = {
  sealing: 'checking',
  ready: 'ready',
  damaged: 'damaged',
  failed: 'damaged',
  erased: 'deleted',
} as const satisfies Record<TrackedFile['state'], string>;

function filesState(tracker: Tracker, isOpen: boolean): SentMessageBody['files_state'] {
  if (tracker.files.length === 0) return 'none';
  if (tracker.files.every((file) => file.state === 'erased')) return 'deleted';
  return isOpen ? 'kept' : 'going';
}

/** What would be accepted now, so that screens offer nothing that is refused. */
function actionsBody(ctx: Ctx, caller: UserCaller, tracker: Tracker, isOpen: boolean): SentMessageBody['actions'] {
  const { policy } = caller;
  const { row } = tracker;
  const today = dateOf(ctx.clock.now(), ctx.settings.surroundings.timeZone);
  const days = policy.message_can_change_expiration ? policy.message_max_expiration : policy.message_default_expiration;
  const latest = addDays(today, days);
  const areFilesThere = tracker.files.every((file) => file.state !== 'erased');
  const most = policy.message_max_expires_after;
  const canAllowMore =
    isOpen &&
    row.download_limit !== null &&
    policy.message_can_change_expires_after &&
    (most === 0 || most > row.download_limit);
  const active = tracker.people.filter((person) => person.state !== 'revoked');
  const canRemind = isOpen && policy.can_use_messages && policy.message_reminders > 0;
  return {
    remind: canRemind
      ? active.filter((person) => refusalFor(person, ctx.clock.now()) === null).map((person) => person.address)
      : [],
    extend_to: row.state !== 'revoked' && areFilesThere && latest > row.expires_on ? latest : null,
    allow_more_to: canAllowMore ? most : null,
    add_recipient: isOpen && policy.can_use_messages && active.length < maxRecipients,
    revoke: row.state !== 'revoked',
    delete_files: tracker.files.some((file) => file.state !== 'erased'),
  };
}

function personBody(person: TrackedPerson): PersonBody {
  return {
    address: person.address,
    role: person.role,
    state: person.state,
    mail: mailBody(person.mail.latest),
    mails: person.mails.map((mail) => ({ ...mailBody(mail), queued_at: isoInstant(mail.created_at) })),
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
    files: person.files.map((file) => ({
      attachment_id: file.attachmentId,
      used: file.used,
      left: person.downloadLimit === null ? null : Math.max(0, person.downloadLimit - file.used),
      whole: file.isWhole,
      downloads: file.downloads.map(downloadBody),
    })),
    revoked_at: orNull(person.revokedAt),
    replaced_by: person.replacedBy,
  };
}

function mailBody(mail: TrackedPerson['mails'][number] | null): PersonBody['mail'] {
  const state = mailStateOf(mail ?? undefined);
  return {
    state,
    kind: mail === null ? 'none' : mail.kind === 'reminder' ? 'reminder' : 'message',
    at: mail === null ? null : isoInstant(mail.finished_at ?? mail.created_at),
    attempts: mail?.attempts ?? 0,
    next_at: mail !== null && state === 'deferred' ? isoInstant(mail.next_at) : null,
    problem: mail?.problem ?? 'none',
    server_words: mail?.server_text ?? '',
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
    first_at: isoInstant(visit.first_at),
    last_at: isoInstant(visit.last_at),
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
