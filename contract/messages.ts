// Secure messages on the wire: what a creation takes, what it returns, and how messages are read back.
import { z } from 'zod';
import { fieldsOf, named, wire } from './codec.ts';
import { dryRun } from './dry-runs.ts';
import { calledByExistingClients, define } from './endpoint.ts';
import { digitsParameter } from './parameters.ts';
import {
  absentIfNull,
  audience,
  audienceDescription,
  expiresOn,
  fileName,
  flag,
  id,
  instantMs,
  nullIfZero,
  optional,
  optionalOr,
  refusal,
  sha256,
  sizeBytes,
  sizeHuman,
  wholeNumber,
} from './wire.ts';

const addresses = z
  .union([z.array(z.string().max(400)).max(1000), z.string().max(400_000)])
  .describe('E-mail addresses.');

/** A list, or one text with commas. */
function addressList(description: string) {
  const split = (value: string | string[]) =>
    (typeof value === 'string' ? value.split(',') : value).map((item) => item.trim()).filter((item) => item !== '');
  const isBlank = (value: string | string[]) => Array.isArray(value) && value.length > 0 && split(value).length === 0;
  const list = addresses
    .refine((value) => !isBlank(value), refusal('message.no_recipients', 'Add at least one recipient.'))
    .transform(split);
  return optionalOr(list, []).describe(description);
}

/** The caller's names for recipients, visible to the caller only. */
export const recipientNames = z
  .array(
    z.object({
      address: z.string().max(400).describe('E-mail address.'),
      name: z.string().max(400).describe('What the caller calls them.'),
    }),
  )
  .max(1000)
  .describe("Additive. What the caller calls these people; shown in the caller's own lists only.");

/** Object form of an attachment: the file itself, Base64 encoded. */
export const inlineAttachment = wire({
  filename: named('fileName', z.string().max(4096).describe('Name of the file.')),
  data: z.unknown().optional().describe('Raw file data, Base64 encoded.'),
  size: z.unknown().optional().describe('Additive. Bytes; for a dry run, in place of `data`.'),
  content_type: optional(z.string().max(255)).describe('Guessed if absent.'),
  checksum: optional(z.string().max(128)).describe('SHA-256, checked when it has 64 hex digits.'),
  crc32: optional(z.string().max(16)).describe('CRC-32, checked when given.'),
});

export const createMessage = z.object({
  message: wire({
    recipients: named('to', addressList('E-mail addresses: a list, or one text with commas between them.')),
    cc: addressList('People who get a copy.'),
    bcc: addressList('People who get a copy without the others knowing.'),
    names: optionalOr(recipientNames, []),
    sender: optional(z.string().max(320)).describe("One of the user's sender aliases."),
    subject: optionalOr(z.string().max(4000), '').describe('One line.'),
    message: named('body', optionalOr(z.string(), '')).describe(
      'Text; HTML where the group may use it (message_can_use_html).',
    ),
    message_format: named('bodyFormat', optional(z.enum(['plain', 'html']))).describe(
      'Additive. Left out: HTML if the group may use it and the text holds an element of the permitted list.',
    ),
    expires_at: named('expiresOn', optional(z.string())).describe(
      'Date; the last day on which it can be opened. Left out: as the group says.',
    ),
    expires_after: named('downloadLimit', optional(wholeNumber)).describe('Permitted downloads; 0 = no limit.'),
    send_email: optionalOr(flag, false).describe('Default false: the caller distributes the URL.'),
    language: optional(z.string().max(35)).describe(
      'Additive. Language of the mails for people whose own is not known, such as `de`; the installation’s unless said.',
    ),
    bcc_myself: named('copyToSender', optional(flag)).describe('A copy to the sender. Default true.'),
    private_message: named('isPrivate', optional(flag)).describe(
      'The text is shown on the page only, never in the e-mail.',
    ),
    authorization: optional(wholeNumber).describe(
      'Who may open it. 0: anyone; 1: anyone with a confirmed address; 2: recipients and local users; 3: recipients only; 4: recipients and all addresses at their domains.',
    ),
    attachments: optionalOr(z.array(z.union([z.string().max(64), inlineAttachment])).max(1000), []).describe(
      'Ids of uploaded files, or files inside the request as objects.',
    ),
    dry_run: dryRun,
  }),
});

/** Answer of a creation, specification "Create response"; `id` first for old clients. */
export const createdMessage = wire({
  id: id.describe('Id of the message.'),
  url: z.url().describe('Where recipients open it.'),
  expires_at: expiresOn.describe('The last day on which it can be opened.'),
  expires_after: named('downloadLimit', nullIfZero(z.int().min(0).describe('0 = no limit.'))),
  authorization: audience.describe('Who may open it, as in the request.'),
  authorization_description: audienceDescription.describe('The same in words.'),
  private_message: named('isPrivate', z.boolean().describe('Whether the text is shown on the page only.')),
  plain: z.string().describe('The text to put into an e-mail of your own, with the address.'),
  html: z.string().describe('The same as HTML.'),
  html_64: z.string().describe('`html`, Base64 encoded.'),
  plain_64: z.string().describe('`plain`, Base64 encoded.'),
}).meta({ id: 'CreatedMessage' });
const { authorization_description, private_message, url } = fieldsOf(createdMessage);

export const messageAttachment = wire({
  id: named('attachmentId', id.describe('Id of the file.')),
  filename: fileName.describe('Name of the file.'),
  size: sizeBytes.describe('Bytes.'),
  size_human: sizeHuman.describe('The size for people, such as `2.99 MB`.'),
  content_type: z.string().describe('Media type.'),
  checksum: sha256.describe('SHA-256, hex.'),
  crc32: z.string().describe('CRC-32, 8 hex digits.'),
  available: named('isAvailable', z.boolean().describe('Whether it can be downloaded now.')),
  url: z.string().describe("The file's bytes, with the caller's API key; not meant for publishing."),
}).meta({ id: 'MessageAttachment' });

const onlyIfTrue = z.codec(z.literal(true).optional(), z.boolean(), {
  decode: (value) => value === true,
  encode: (value) => (value ? true : undefined),
});

/** No key is ever missing or null, because old clients do not check. */
export const message = wire({
  id: id.describe('Id of the message.'),
  sender: z.string().describe('Address of the sender, with the name where one is known.'),
  recipients: z.array(z.string()).describe('Addresses it was sent to.'),
  ccs: z.array(z.string()).describe('Addresses that got a copy.'),
  bccs: absentIfNull(z.array(z.string()).describe('Only for the sender.')),
  created_at: instantMs.describe('When it was sent.'),
  expires_at: expiresOn.describe('The last day on which it can be opened.'),
  expires_after: named(
    'downloadLimit',
    nullIfZero(z.int().min(0).describe('Permitted downloads of each file; 0 = no limit.')),
  ),
  size: sizeBytes.describe('Bytes of all its files.'),
  authorization: audience.describe('Who may open it, as in sending.'),
  authorization_description,
  private_message,
  url,
  subject: z.string().describe('Subject, one line.'),
  message: named('body', z.string().describe('Plain text, also of a formatted message.')),
  message_html: named(
    'bodyHtml',
    absentIfNull(z.string().describe('A formatted message as cleaned HTML; only when it was sent as such.')),
  ),
  text_withheld: named('isTextWithheld', onlyIfTrue).describe(
    'A private message: its text is returned by `POST /message/<id>/read`, which counts and tells the sender.',
  ),
  attachments: named('files', z.array(messageAttachment).describe('Its files.')),
}).meta({ id: 'Message' });

export const createdMessageAnswer = z.object({ message: createdMessage });
export const messageAnswer = z.object({ message });
export const inboxAnswer = z.object({ messages: z.array(message) });
export const sentAnswer = z.object({ sent: z.array(message) });

export const listMessagesQuery = wire({
  sent_after: z.string().optional().describe('`YYYY-MM-DD` or `YYYYMMDD`.'),
  sent_in_the_last: named(
    'sentInTheLastHours',
    digitsParameter(
      /^\d{1,9}$/,
      refusal('messages.bad_hours', 'The parameter "sent_in_the_last" must be a whole number.'),
    ),
  ).describe('Hours.'),
  limit: digitsParameter(
    /^\d{1,9}$/,
    refusal('messages.bad_limit', 'The parameter "limit" must be a whole number.'),
  ).describe('Maximum number of messages returned.'),
});

export type CreatedMessageBody = z.input<typeof createdMessage>;

export const messageEndpoints = {
  sendMessage: define({
    method: 'POST',
    path: '/message',
    tag: 'Messages',
    summary: 'Send a secure message, with files by id or inside as Base64',
    auth: 'key',
    body: createMessage,
    isStreamed: true,
    answer: createdMessageAnswer,
    dryRuns: true,
    anyFailureIs422: true,
    idempotent: true,
    toleratesUnknownFields: calledByExistingClients,
  }),
  getMessage: define({
    method: 'GET',
    path: '/message/:id',
    tag: 'Messages',
    summary: 'One message, for its sender and for those who may open it',
    auth: 'key',
    answer: messageAnswer,
    origin: 'compatibility',
  }),
  readMessage: define({
    method: 'POST',
    path: '/message/:id/read',
    tag: 'Messages',
    summary: 'One message with its text; for a private one this counts as reading, and its sender is notified once',
    auth: 'key',
    answer: messageAnswer,
    origin: 'additive',
  }),
  getMessageFile: define({
    method: 'GET',
    path: '/message/:id/:attachment/:token/:filename',
    tag: 'Messages',
    summary: 'The bytes of a file of a message',
    auth: 'key',
    answer: 'file',
    origin: 'compatibility',
  }),
  listInbox: define({
    method: 'GET',
    path: '/messages/inbox',
    tag: 'Messages',
    summary: 'Messages sent to the caller',
    auth: 'key',
    query: listMessagesQuery,
    answer: inboxAnswer,
    origin: 'compatibility',
  }),
  listSent: define({
    method: 'GET',
    path: '/messages/sent',
    tag: 'Messages',
    summary: 'Messages the caller sent',
    auth: 'key',
    query: listMessagesQuery,
    answer: sentAnswer,
    origin: 'compatibility',
  }),
  deleteMessageAttachments: define({
    method: 'DELETE',
    path: '/message/:id/delete_attachments',
    tag: 'Messages',
    summary: 'Withdraw all files of a message',
    auth: 'key',
    answer: 'empty',
    origin: 'compatibility',
    toleratesUnknownFields: calledByExistingClients,
  }),
} as const;
