// The tracker: what became of sent messages, for each person and each file. Additive; only the sender sees it.
import { z } from 'zod';
import { appCall, define } from '../endpoint.ts';
import { knownNames } from '../lists.ts';
import { date, id, instant } from '../wire.ts';

/** What the pill in the list says. `partly` and `all` count people who have every file. */
export const messageState = z.enum(['on_its_way', 'partly', 'all', 'problem', 'ending', 'expired', 'stopped']);

export const sentQuery = z.object({
  q: z.string().max(200).optional().describe('Words of the subject, a file name, an address, or the id.'),
  state: z.string().max(100).optional().describe('One or more states, separated by commas.'),
  person: z.string().max(320).optional().describe('An address, a name, or a part of one.'),
  from: z.string().max(10).optional().describe('Sent on this date or later.'),
  to: z.string().max(10).optional().describe('Sent on this date or earlier.'),
  sort: z
    .string()
    .max(20)
    .optional()
    .describe('`sent`, `until`, `size` or `subject`, with `-` in front for the largest first; `-sent` unless said.'),
  page: z.string().max(6).optional().describe('From 1.'),
  size: z.string().max(4).optional().describe('1 to 100; 25 unless said.'),
});

const progress = {
  state: messageState,
  people_count: z.int().min(0).describe('People who may still open it.'),
  people_done: z.int().min(0).describe('Of these, how many have every file (or have read it, when there are none).'),
};

export const sentItem = z
  .object({
    id,
    subject: z.string(),
    people: z.array(z.string()).max(3).describe('The first three addresses.'),
    people_total: z.int().min(0),
    file_count: z.int().min(0),
    first_file: z.string().describe('Name of the first file; empty when there is none.'),
    size: z.int().min(0),
    sent_at: instant,
    expires_at: date,
    private_message: z.boolean(),
    ...progress,
  })
  .meta({ id: 'SentItem' });

export const sentListAnswer = z.object({
  messages: z.array(sentItem),
  names: knownNames,
  total: z.int().min(0),
  page: z.int().min(1),
  size: z.int().min(1),
  is_cut: z.boolean().describe('True when the search looked at the newest messages only.'),
});

/** One download of one file. */
export const trackedDownload = z
  .object({
    id: z.int().min(1).describe('Number in the download log.'),
    at: instant,
    bytes: z.int().min(0).describe('Bytes that left the server.'),
    whole: z.boolean(),
    is_running: z.boolean(),
    country: z.string(),
    city: z.string(),
    device: z.string().describe('Operating system or platform; empty when unknown.'),
    browser: z.string(),
    ip: z.string(),
  })
  .meta({ id: 'TrackedDownload' });

const mailDelivery = z
  .object({
    state: z
      .enum(['none', 'queued', 'deferred', 'accepted', 'refused', 'cancelled'])
      .describe('`none`: no mail was sent, the sender hands the link over. `accepted`: by their server.'),
    kind: z.enum(['message', 'reminder', 'none']).describe('Which mail this tells about: the newest one.'),
    at: instant.nullable().describe('When that state was reached.'),
    attempts: z.int().min(0),
    next_at: instant.nullable().describe('When a deferred mail is tried again.'),
    problem: z
      .enum(['none', 'unknown_address', 'mailbox_full', 'refused', 'given_up'])
      .describe('Why it was refused, as far as the words below tell; `given_up`: tried for days in vain.'),
    server_words: z.string().describe("Their server's answer, or the reason, as it came; may be empty."),
  })
  .meta({ id: 'MailDelivery' });

export const trackedFileOfPerson = z.object({
  attachment_id: id,
  used: z.int().min(0),
  left: z.int().min(0).nullable().describe('null = no limit.'),
  whole: z.boolean().describe('Downloaded whole at least once.'),
  downloads: z.array(trackedDownload),
});

const visit = z
  .object({
    first_at: instant,
    last_at: instant,
    count: z.int().min(1),
    browser: z.string(),
    device: z.string(),
    network: z.string(),
    country: z.string(),
  })
  .meta({ id: 'Visit' });

export const exposure = z
  .object({
    address: z.string(),
    at: instant.describe('When this was found out.'),
    mails: z.array(z.object({ kind: z.enum(['message', 'reminder']), accepted_at: instant, server_words: z.string() })),
    is_mail_on_its_way: z.boolean().describe('A mail was being handed over at that moment and may still arrive.'),
    text_in_mail: z.boolean().describe('The text of the message was part of an accepted mail.'),
    names_in_mail: z.boolean().describe('File names and subject were part of an accepted mail.'),
    opened_at: instant.nullable().describe('First visit of the page by this person, if known.'),
    read_at: instant.nullable().describe('Private message opened.'),
    files: z.array(
      z.object({
        attachment_id: id,
        filename: z.string(),
        size: z.int().min(0),
        whole: z.boolean(),
        bytes: z.int().min(0).describe('Most bytes any one download delivered.'),
        downloads: z.array(trackedDownload),
      }),
    ),
    is_open_to_others: z
      .boolean()
      .describe('The audience of the message lets them in without being a recipient; stop sharing to close it.'),
  })
  .meta({ id: 'Exposure' });

export const person = z
  .object({
    address: z.string(),
    role: z.enum(['to', 'cc', 'bcc']),
    state: z
      .enum(['waiting', 'problem', 'delivered', 'opened', 'partly', 'done', 'revoked'])
      .describe('The furthest step this person has reached.'),
    mail: mailDelivery,
    mails: z.array(mailDelivery.extend({ queued_at: instant })).describe('Every one of them, oldest first.'),
    reminders: z.object({
      count: z.int().min(0),
      last_at: instant.nullable(),
      next_allowed_at: instant.nullable().describe('null: no more reminders for this person.'),
    }),
    opened_at: instant.nullable().describe('First visit of the page by this person, if known.'),
    confirmed_at: instant.nullable().describe('First time this person proved the address for this message.'),
    read_at: instant.nullable().describe('First opening of a private message.'),
    files_done: z.int().min(0),
    download_limit: z.int().min(0).nullable().describe('For this person; null = no limit.'),
    files: z.array(trackedFileOfPerson),
    removed_files: z.array(trackedFileOfPerson).describe('The same of files that were taken out of the message.'),
    revoked_at: instant.nullable(),
    replaced_by: z.string().describe('The corrected address; empty when there is none.'),
  })
  .meta({ id: 'TrackedPerson' });

export const otherPerson = z
  .object({
    address: z.string().describe('Empty: somebody with the link.'),
    downloads: z.array(z.object({ attachment_id: id, filename: z.string(), download: trackedDownload })),
  })
  .meta({ id: 'OtherPerson' });

export const trackedFile = z
  .object({
    id,
    filename: z.string(),
    size: z.int().min(0),
    size_human: z.string(),
    content_type: z.string(),
    sha256: z.string().describe('Empty while it is computed.'),
    state: z.enum(['checking', 'ready', 'damaged', 'deleted']),
    downloads: z.int().min(0).describe('Whole downloads by anybody but the sender.'),
    people_done: z.int().min(0),
  })
  .meta({ id: 'TrackedFile' });

const removedFile = trackedFile
  .extend({ removed_at: instant.describe('When its sender took it out of the message.') })
  .meta({ id: 'RemovedFile' });

export const sentMessage = z
  .object({
    id,
    url: z.url(),
    subject: z.string(),
    text: z.string(),
    sender: z.string(),
    sent_at: instant,
    expires_at: date,
    ends_at: instant,
    authorization: z.int().min(0).max(4),
    authorization_description: z.string(),
    private_message: z.boolean(),
    expires_after: z.int().min(0).describe('Downloads allowed; 0 = no limit.'),
    size: z.int().min(0),
    ...progress,
    is_open: z.boolean().describe('People may download now.'),
    ended_at: instant.nullable().describe('When it expired, was stopped, or its files were deleted.'),
    files_state: z
      .enum(['none', 'kept', 'going', 'deleted'])
      .describe('`going`: nobody gets them any more, but they are still stored for a while.'),
    actions: z.object({
      remind: z.array(z.string()).describe('Who may be reminded now.'),
      extend_to: date.nullable().describe('The latest date; null when it can not be extended.'),
      allow_more_to: z
        .int()
        .min(0)
        .nullable()
        .describe('The highest limit (0 = no limit); null when it can not be raised.'),
      add_recipient: z.boolean(),
      revoke: z.boolean(),
      delete_files: z.boolean(),
      remove_files: z.array(id).describe('Files that may be taken out of the message now.'),
    }),
    people: z.array(person),
    names: knownNames,
    others: z.array(otherPerson).describe('Downloads by people who are not recipients.'),
    scanners: z.array(visit).describe('Visits that look like programs that check links in mails.'),
    visits: z.array(visit).describe('Visits of people nobody knows: the link was opened, nothing was proven.'),
    files: z.array(trackedFile),
    removed_files: z
      .array(removedFile)
      .describe('Taken out after sending; nobody gets them any more, and the record of who has them stays.'),
    exposures: z.array(exposure).describe('What "wrong recipient" recorded, newest first.'),
    is_cut: z.boolean().describe('True when there are more downloads than are told here; the download log has all.'),
  })
  .meta({ id: 'SentMessage' });

export const sentMessageAnswer = z.object({ message: sentMessage });

export const activityQuery = z.object({
  before: z.string().max(20).optional().describe('The `next` of the page before.'),
  size: z.string().max(4).optional().describe('1 to 200; 50 unless said.'),
  kind: z.string().max(20).optional().describe('`mail`, `download`, `access`, `change`; all unless said.'),
});

export const activityExportQuery = z.object({
  kind: z.string().max(20).optional().describe('As in the list.'),
  format: z.enum(['csv', 'json']),
});

/** The audit events that a timeline shows, as `noun.verb`. */
export const activityAction = z.enum([
  'message.sent',
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

export const activityLine = z
  .object({
    id: z.string(),
    at: instant,
    action: activityAction,
    kind: z.enum(['mail', 'download', 'access', 'change']),
    actor: z.enum(['you', 'person', 'administrator', 'system']),
    address: z.string().describe('The person it is about; empty when unknown.'),
    facts: z.record(z.string(), z.unknown()),
    ip: z.string(),
  })
  .meta({ id: 'ActivityLine' });

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
    // A press on a link of our own page: the browser saves the answer and can send no header with it.
    sessionProof: 'own_page',
    answer: 'file',
  }),
} as const;
