// The tracker: the state of sent messages, by person and file. Additive; for the sender only.
import { z } from 'zod';
import { derived, fieldsOf, named, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { knownNames } from '../lists.ts';
import { countParameter, dateParameter, sortParameter, textParameter, wordParameter } from '../parameters.ts';
import { fileCheck } from '../scanning.ts';
import {
  audience,
  audienceDescription,
  date,
  expiresOn,
  fileName,
  id,
  instantMs,
  nullIfZero,
  sizeBytes,
  sizeHuman,
} from '../wire.ts';

/** The badge in the list. `partly` and `all` count people who have every file. */
export const messageState = z.enum([
  'in_review',
  'on_its_way',
  'partly',
  'all',
  'problem',
  'ending',
  'expired',
  'refused',
  'stopped',
]);

export const sentQuery = wire({
  q: named(
    'words',
    textParameter(z.string().max(200), (text) => text.trim(), '').describe(
      'Words of the subject, a file name, an address, or the id.',
    ),
  ),
  state: named(
    'states',
    textParameter(z.string().max(100), readStates, []).describe('One or more states, separated by commas.'),
  ),
  person: textParameter(z.string().max(320), (text) => text.trim().toLowerCase() || null, null).describe(
    'An address, a name, or a part of one.',
  ),
  from: dateParameter().describe('Sent on this date or later.'),
  to: dateParameter().describe('Sent on this date or earlier.'),
  sort: named(
    'order',
    sortParameter(['sent', 'until', 'size', 'subject'], '-sent').describe(
      '`sent`, `until`, `size` or `subject`, with `-` in front for the largest first; `-sent` unless said.',
    ),
  ),
  page: countParameter(6, { most: 100_000, otherwise: 1 }).describe('From 1.'),
  size: countParameter(4, { most: 100, otherwise: 25 }).describe('1 to 100; 25 unless said.'),
});

function readStates(text: string) {
  const words = text.split(',').filter((word) => word !== '');
  const states = words.map((word) => messageState.options.find((state) => state === word));
  return states.includes(undefined) ? undefined : (states as z.output<typeof messageState>[]);
}

const progress = {
  state: messageState,
  people_count: z.int().min(0).describe('People who may still open it.'),
  people_done: z.int().min(0).describe('Of these, how many have every file (or have read it, when there are none).'),
};

interface FileNames {
  files: { count: number; names: string[] };
}

export const sentItem = wire({
  id,
  subject: z.string(),
  people: z.array(z.string()).max(3).describe('The first three addresses.'),
  people_total: derived(z.int().min(0), ({ addresses }: { addresses: string[] }) => addresses.length),
  file_count: derived(z.int().min(0), ({ files }: FileNames) => files.count),
  first_file: derived(
    z.string().describe('Name of the first file; empty when there is none.'),
    ({ files }: FileNames) => files.names[0] ?? '',
  ),
  size: sizeBytes,
  sent_at: named('createdAt', instantMs),
  expires_at: expiresOn,
  private_message: named('isPrivate', z.boolean()),
  ...progress,
}).meta({ id: 'SentItem' });

export const sentListAnswer = wire({
  messages: named('items', z.array(sentItem)),
  names: knownNames,
  total: z.int().min(0),
  page: z.int().min(1),
  size: z.int().min(1),
  is_cut: z.boolean().describe('True when the search looked at the newest messages only.'),
});

/** One download of one file. */
export const trackedDownload = wire({
  id: named('number', z.int().min(1).describe('Number in the download log.')),
  at: instantMs,
  bytes: z.int().min(0).describe('Bytes that left the server.'),
  whole: named('isWhole', z.boolean()),
  is_running: z.boolean(),
  country: z.string(),
  city: z.string(),
  device: z.string().describe('Operating system or platform; empty when unknown.'),
  browser: z.string(),
  ip: z.string(),
}).meta({ id: 'TrackedDownload' });

const mailDelivery = wire({
  state: z
    .enum(['none', 'queued', 'deferred', 'accepted', 'refused', 'cancelled'])
    .describe('`none`: no mail was sent, the sender hands the link over. `accepted`: by their server.'),
  kind: z.enum(['message', 'reminder', 'none']).describe('Which mail this tells about: the newest one.'),
  at: instantMs.nullable().describe('When that state was reached.'),
  attempts: z.int().min(0),
  next_at: instantMs.nullable().describe('When a deferred mail is tried again.'),
  problem: z
    .enum(['none', 'unknown_address', 'mailbox_full', 'refused', 'given_up'])
    .describe('Why it was refused, as far as the words below tell; `given_up`: tried for days in vain.'),
  server_words: named(
    'serverText',
    z.string().describe("Their server's answer, or the reason, as it came; may be empty."),
  ),
}).meta({ id: 'MailDelivery' });

export const trackedFileOfPerson = wire({
  attachment_id: id,
  used: z.int().min(0),
  left: z.int().min(0).nullable().describe('null = no limit.'),
  whole: named('isWhole', z.boolean().describe('Downloaded whole at least once.')),
  downloads: z.array(trackedDownload),
});

const visit = wire({
  first_at: instantMs,
  last_at: instantMs,
  count: z.int().min(1),
  browser: z.string(),
  device: z.string(),
  network: z.string(),
  country: z.string(),
}).meta({ id: 'Visit' });

export const exposure = wire({
  address: z.string(),
  at: instantMs.describe('When this was found out.'),
  mails: z.array(wire({ kind: z.enum(['message', 'reminder']), accepted_at: instantMs, server_words: z.string() })),
  is_mail_on_its_way: z.boolean().describe('A mail was being handed over at that moment and may still arrive.'),
  text_in_mail: named('isTextInMail', z.boolean().describe('The text of the message was part of an accepted mail.')),
  names_in_mail: named('areNamesInMail', z.boolean().describe('File names and subject were part of an accepted mail.')),
  opened_at: instantMs.nullable().describe('First visit of the page by this person, if known.'),
  read_at: instantMs.nullable().describe('Private message opened.'),
  files: z.array(
    wire({
      attachment_id: id,
      filename: fileName,
      size: sizeBytes,
      whole: named('isWhole', z.boolean()),
      bytes: z.int().min(0).describe('Most bytes any one download delivered.'),
      downloads: z.array(trackedDownload),
    }),
  ),
  is_open_to_others: z
    .boolean()
    .describe('The audience of the message lets them in without being a recipient; stop sharing to close it.'),
}).meta({ id: 'Exposure' });

export const person = wire({
  address: z.string(),
  role: z.enum(['to', 'cc', 'bcc']),
  state: z
    .enum(['waiting', 'problem', 'delivered', 'opened', 'partly', 'done', 'revoked'])
    .describe('The furthest step this person has reached.'),
  mail: mailDelivery,
  mails: z
    .array(wire({ ...fieldsOf(mailDelivery), queued_at: named('createdAt', instantMs) }))
    .describe('Every one of them, oldest first.'),
  reminders: wire({
    count: z.int().min(0),
    last_at: instantMs.nullable(),
    next_allowed_at: instantMs.nullable().describe('null: no more reminders for this person.'),
  }),
  opened_at: instantMs.nullable().describe('First visit of the page by this person, if known.'),
  confirmed_at: instantMs.nullable().describe('First time this person proved the address for this message.'),
  read_at: instantMs.nullable().describe('First opening of a private message.'),
  files_done: z.int().min(0),
  download_limit: z.int().min(0).nullable().describe('For this person; null = no limit.'),
  files: z.array(trackedFileOfPerson),
  removed_files: z.array(trackedFileOfPerson).describe('The same of files that were taken out of the message.'),
  revoked_at: instantMs.nullable(),
  replaced_by: z.string().describe('The corrected address; empty when there is none.'),
}).meta({ id: 'TrackedPerson' });

export const otherPerson = wire({
  address: z.string().describe('Empty: a visitor with the link.'),
  downloads: z.array(
    wire({
      attachment_id: id,
      filename: fileName,
      download: derived(trackedDownload, (download: z.output<typeof trackedDownload>) => download),
    }),
  ),
}).meta({ id: 'OtherPerson' });

const fileStates = {
  sealing: 'checking',
  ready: 'ready',
  damaged: 'damaged',
  failed: 'damaged',
  erased: 'deleted',
} as const;

export const trackedFile = wire({
  id,
  filename: fileName,
  size: sizeBytes,
  size_human: sizeHuman,
  content_type: z.string(),
  sha256: z.string().describe('Empty while it is computed.'),
  state: derived(
    z.enum(['checking', 'ready', 'damaged', 'deleted']),
    ({ state }: { state: keyof typeof fileStates }) => fileStates[state],
  ),
  downloads: z.int().min(0).describe('Whole downloads by others than the sender.'),
  people_done: z.int().min(0),
  check: fileCheck,
}).meta({ id: 'TrackedFile' });

const removedFile = wire({
  ...fieldsOf(trackedFile),
  removed_at: instantMs.describe('When its sender took it out of the message.'),
}).meta({ id: 'RemovedFile' });

export const sentMessage = wire({
  id,
  url: z.url(),
  subject: z.string(),
  text: named('body', z.string()),
  sender: z.string(),
  sent_at: named('createdAt', instantMs),
  expires_at: expiresOn,
  ends_at: named('expiresAt', instantMs),
  authorization: audience,
  authorization_description: audienceDescription,
  private_message: named('isPrivate', z.boolean()),
  expires_after: named('downloadLimit', nullIfZero(z.int().min(0).describe('Downloads allowed; 0 = no limit.'))),
  size: sizeBytes,
  ...progress,
  is_open: z.boolean().describe('People may download now.'),
  ended_at: instantMs.nullable().describe('When it expired, was stopped, or its files were deleted.'),
  files_state: z
    .enum(['none', 'kept', 'going', 'deleted'])
    .describe('`going`: no longer available, but still stored for a while.'),
  actions: named(
    'offers',
    wire({
      remind: z.array(z.string()).describe('Who may be reminded now.'),
      extend_to: date.nullable().describe('The latest date; null when it can not be extended.'),
      allow_more_to: z
        .int()
        .min(0)
        .nullable()
        .describe('The highest limit (0 = no limit); null when it can not be raised.'),
      add_recipient: named('mayAddRecipient', z.boolean()),
      revoke: named('mayRevoke', z.boolean()),
      delete_files: named('mayDeleteFiles', z.boolean()),
      remove_files: z.array(id).describe('Files that may be taken out of the message now.'),
    }),
  ),
  people: z.array(person),
  names: knownNames,
  others: z.array(otherPerson).describe('Downloads by people who are not recipients.'),
  scanners: z.array(visit).describe('Visits that look like programs that check links in mails.'),
  visits: z.array(visit).describe('Visits of unknown people: the link was opened, nothing was proven.'),
  files: z.array(trackedFile),
  removed_files: z
    .array(removedFile)
    .describe('Taken out after sending; no longer available, and the record of who has them stays.'),
  review: wire({
    state: z.enum(['waiting', 'released', 'refused']),
    reason: z.string().nullable().describe('Of the second person, once there is a decision.'),
    decided_at: instantMs.nullable(),
  })
    .nullable()
    .describe('The decision of a second person; null if none is needed.'),
  exposures: z.array(exposure).describe('What "wrong recipient" recorded, newest first.'),
  is_cut: z.boolean().describe('True when there are more downloads than listed here; the download log has all.'),
}).meta({ id: 'SentMessage' });

export const sentMessageAnswer = z.object({ message: sentMessage });

const activityKind = z.enum(['mail', 'download', 'access', 'change']);

export const activityQuery = wire({
  before: named(
    'beforeSeq',
    countParameter(20, { most: Number.MAX_SAFE_INTEGER, otherwise: null }).describe('The `next` of the page before.'),
  ),
  size: countParameter(4, { most: 200, otherwise: 50 }).describe('1 to 200; 50 unless said.'),
  kind: wordParameter(20, activityKind.options).describe('`mail`, `download`, `access`, `change`; all unless said.'),
});

export const activityExportQuery = wire({
  kind: wordParameter(20, activityKind.options).describe('As in the list.'),
  format: z.enum(['csv', 'json']),
});

/** The audit events that a timeline shows, as `noun.verb`. */
export const activityAction = z.enum([
  'message.sent',
  'message.review_requested',
  'message.review_released',
  'message.review_refused',
  'message.expired',
  'message.revoked',
  'message.files_deleted',
  'message.file_removed',
  'message.extended',
  'message.downloads_allowed',
  'message.reminded',
  'message.resent',
  'message.recipient_added',
  'message.recipient_corrected',
  'message.recipient_revoked',
  'message.wrong_recipient',
  'mail.accepted',
  'mail.deferred',
  'mail.refused',
  'message.opened',
  'message.read',
  'file.downloaded',
]);

export const activityLine = wire({
  id: derived(z.string(), ({ seq }: { seq: number }) => String(seq)),
  at: instantMs,
  action: activityAction,
  kind: activityKind,
  actor: z.enum(['you', 'person', 'administrator', 'system']),
  address: z.string().describe('The person it is about; empty when unknown.'),
  facts: z.record(z.string(), z.unknown()),
  ip: z.string(),
}).meta({ id: 'ActivityLine' });

export const activityAnswer = z.object({ events: z.array(activityLine), next: z.string().nullable() });

export type SentItemBody = z.input<typeof sentItem>;
export type SentMessageBody = z.input<typeof sentMessage>;
export type PersonBody = z.input<typeof person>;
export type ExposureBody = z.input<typeof exposure>;
export type ActivityLineBody = z.input<typeof activityLine>;
export type ActivityAction = z.input<typeof activityAction>;
export type TrackedDownloadBody = z.input<typeof trackedDownload>;

export const appMessageEndpoints = {
  listSentMessages: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/messages',
    summary: 'Sent messages, with the state of each',
    query: sentQuery,
    answer: sentListAnswer,
  }),
  getSentMessage: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/messages/:id',
    summary: 'One sent message: what became of it for each person and file',
    answer: sentMessageAnswer,
  }),
  listMessageActivity: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/messages/:id/activity',
    summary: 'What happened to a sent message, newest first',
    query: activityQuery,
    answer: activityAnswer,
  }),
  exportMessageActivity: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/messages/:id/activity/export',
    summary: 'The same as a file, whole',
    query: activityExportQuery,
    // A link on our own page, with which browsers send no header.
    sessionProof: 'own_page',
    answer: 'file',
  }),
} as const;
