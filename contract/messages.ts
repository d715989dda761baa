// Secure messages on the wire: what a creation takes, what it returns, and how messages are read back.
import { z } from 'zod';
import { dryRun } from './dry-runs.ts';
import { calledByExistingClients, define } from './endpoint.ts';
import { date, flag, id, instant, optional, wholeNumber } from './wire.ts';

const addresses = z
  .union([z.array(z.string().max(400)).max(1000), z.string().max(400_000)])
  .describe('E-mail addresses.');

/** What the caller calls the people something goes to: kept for the caller's own lists, told to nobody else. */
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
export const inlineAttachment = z.object({
  filename: z.string().max(4096).describe('Name of the file.'),
  data: z.unknown().optional().describe('Raw file data, Base64 encoded.'),
  size: z.unknown().optional().describe('Additive. Bytes; for a dry run, in place of `data`.'),
  content_type: optional(z.string().max(255)).describe('Guessed if absent.'),
  checksum: optional(z.string().max(128)).describe('SHA-256, checked when it has 64 hex digits.'),
  crc32: optional(z.string().max(16)).describe('CRC-32, checked when given.'),
});

export const createMessage = z.object({
  message: z.object({
    recipients: optional(addresses).describe('E-mail addresses: a list, or one text with commas between them.'),
    cc: optional(addresses).describe('People who get a copy.'),
    bcc: optional(addresses).describe('People who get a copy without the others knowing.'),
    names: optional(recipientNames),
    sender: optional(z.string().max(320)).describe("One of the user's sender aliases."),
    subject: optional(z.string().max(4000)).describe('One line.'),
    message: optional(z.string()).describe('Text; HTML where the group may use it (message_can_use_html).'),
    message_format: optional(z.enum(['plain', 'html'])).describe(
      'Additive. Left out: HTML if the group may use it and the text holds an element of the permitted list.',
    ),
    expires_at: optional(z.string()).describe(
      'Date; the last day on which it can be opened. Left out: as the group says.',
    ),
    expires_after: optional(wholeNumber).describe('Permitted downloads; 0 = no limit.'),
    send_email: optional(flag).describe('Default false: the caller distributes the URL.'),
    language: optional(z.string().max(35)).describe(
      'Additive. Language of the mails for people whose own is not known, such as `de`; the installation’s unless said.',
    ),
    bcc_myself: optional(flag).describe('A copy to the sender. Default true.'),
    private_message: optional(flag).describe('The text is shown on the page only, never in the e-mail.'),
    authorization: optional(wholeNumber).describe(
      'Who may open it. 0: anybody; 1: anybody with a confirmed address; 2: recipients and local users; 3: recipients only; 4: recipients and everybody at their domains.',
    ),
    attachments: optional(z.array(z.union([z.string().max(64), inlineAttachment])).max(1000)).describe(
      'Ids of uploaded files, or files inside the request as objects.',
    ),
    dry_run: dryRun,
  }),
});

/** Answer of a creation, specification "Create response"; `id` first (compatibility rule 6). */
export const createdMessage = z
  .object({
    id: id.describe('Id of the message.'),
    url: z.url().describe('Where recipients open it.'),
    expires_at: date.describe('The last day on which it can be opened.'),
    expires_after: z.int().min(0).describe('0 = no limit.'),
    authorization: z.int().min(0).max(4).describe('Who may open it, as in the request.'),
    authorization_description: z.string().describe('The same in words.'),
    private_message: z.boolean().describe('Whether the text is shown on the page only.'),
    plain: z.string().describe('The text to put into an e-mail of your own, with the address.'),
    html: z.string().describe('The same as HTML.'),
    html_64: z.string().describe('`html`, Base64 encoded.'),
    plain_64: z.string().describe('`plain`, Base64 encoded.'),
  })
  .meta({ id: 'CreatedMessage' });

export const messageAttachment = z
  .object({
    id: id.describe('Id of the file.'),
    filename: z.string().describe('Name of the file.'),
    size: z.int().min(0).describe('Bytes.'),
    size_human: z.string().describe('The size for people, such as `2.99 MB`.'),
    content_type: z.string().describe('Media type.'),
    checksum: z.string().describe('SHA-256, hex.'),
    crc32: z.string().describe('CRC-32, 8 hex digits.'),
    available: z.boolean().describe('Whether it can be downloaded now.'),
    url: z.string().describe("The file's bytes, with the caller's API key; not meant for publishing."),
  })
  .meta({ id: 'MessageAttachment' });

/** No key is ever missing or null, because old clients do not check (compatibility rule 18). */
export const message = z
  .object({
    id: id.describe('Id of the message.'),
    sender: z.string().describe('Address of the sender, with the name where one is known.'),
    recipients: z.array(z.string()).describe('Addresses it was sent to.'),
    ccs: z.array(z.string()).describe('Addresses that got a copy.'),
    bccs: z.array(z.string()).optional().describe('Only for the sender.'),
    created_at: instant.describe('When it was sent.'),
    expires_at: date.describe('The last day on which it can be opened.'),
    expires_after: z.int().min(0).describe('Permitted downloads of each file; 0 = no limit.'),
    size: z.int().min(0).describe('Bytes of all its files.'),
    authorization: z.int().min(0).max(4).describe('Who may open it, as in sending.'),
    authorization_description: z.string().describe('The same in words.'),
    private_message: z.boolean().describe('Whether the text is shown on the page only.'),
    url: z.url().describe('Where recipients open it.'),
    subject: z.string().describe('Subject, one line.'),
    message: z.string().describe('Plain text, also of a formatted message.'),
    message_html: z.string().optional().describe('A formatted message as cleaned HTML; only when it was sent as such.'),
    text_withheld: z
      .literal(true)
      .optional()
      .describe(
        'A private message: its text is returned by `POST /message/<id>/read`, which counts and tells the sender.',
      ),
    attachments: z.array(messageAttachment).describe('Its files.'),
  })
  .meta({ id: 'Message' });

export const createdMessageAnswer = z.object({ message: createdMessage });
export const messageAnswer = z.object({ message });
export const inboxAnswer = z.object({ messages: z.array(message) });
export const sentAnswer = z.object({ sent: z.array(message) });

export const listMessagesQuery = z.object({
  sent_after: z.string().optional().describe('`YYYY-MM-DD` or `YYYYMMDD`.'),
  sent_in_the_last: z.string().optional().describe('Hours.'),
  limit: z.string().optional().describe('Maximum number of messages returned.'),
});

export type MessageBody = z.input<typeof message>;
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
    summary: 'One message with its text; of a private one this counts as reading, and its sender is told once',
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
