// Received messages, answers to requests, deliveries to the drop page.
import { z } from 'zod';
import { fieldsOf, named, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { knownNames, listAnswer, listQuery, sortBy } from '../lists.ts';
import {
  absentIfNull,
  audience,
  expiresOn,
  fileName,
  id,
  instantMs,
  otherwise,
  sha256,
  sizeBytes,
  sizeHuman,
} from '../wire.ts';

const person = z.object({ name: z.string().describe('The address when no name is known.'), address: z.string() });

export const appReceived = wire({
  id: id.describe('Id of the message.'),
  kind: z.enum(['message', 'request', 'drop']),
  from: named('sender', person),
  is_sender_confirmed: z.boolean().describe('false: the address was typed and never confirmed.'),
  subject: z.string(),
  files: named('fileCount', z.int().min(0)),
  size: sizeBytes,
  size_human: sizeHuman,
  received_at: instantMs,
  expires_at: expiresOn.describe('Last day.'),
  is_private: z.boolean(),
  state: z.enum(['new', 'downloaded', 'expired']).describe('downloaded: the caller has fetched a file of it whole.'),
}).meta({ id: 'AppReceived' });
const { kind, state } = fieldsOf(appReceived);

export const appReceivedQuery = listQuery(
  sortBy(['-received_at', 'received_at', '-expires_at', 'expires_at', '-size', 'size'], { size: 'sizeBytes' }),
  {
    state: otherwise(state, null),
    kind: otherwise(kind, null),
    person: otherwise(z.string().max(320).describe('Address of the sender.'), null),
  },
);
export const appReceivedListAnswer = listAnswer(appReceived, {});

const bodyHtml = named(
  'bodyHtml',
  absentIfNull(z.string().describe('The same as cleaned HTML; only when it was sent as such.')),
);

export const appReceivedDetail = wire({
  ...fieldsOf(appReceived),
  to: named('recipients', z.array(z.string())),
  cc: named('ccs', z.array(z.string())),
  names: knownNames,
  request_id: id.nullable().describe('The request it answers.'),
  authorization: audience,
  is_only_recipient: z.boolean().describe('true: the caller is its only recipient, Bcc included.'),
  message: named('body', z.string().nullable().describe('null: private; `read` opens it, which is counted.')),
  message_html: bodyHtml,
  downloads_left: z.int().min(0).nullable().describe('Least over its files; null = no limit.'),
  url: z.url().describe('Its page.'),
  attachments: named(
    'files',
    z.array(
      wire({
        id: named('attachmentId', id),
        filename: fileName,
        size: sizeBytes,
        size_human: sizeHuman,
        content_type: z.string(),
        checksum: sha256,
        crc32: z.string(),
        state: z.enum(['ready', 'checking', 'used_up', 'removed']),
        downloads_left: z.int().min(0).nullable(),
        downloaded_at: instantMs.nullable().describe('When the caller last fetched it whole.'),
      }),
    ),
  ),
}).meta({ id: 'AppReceivedDetail' });
export const appReceivedAnswer = z.object({ received: appReceivedDetail });

export const readReceivedAnswer = wire({ message: named('body', z.string()), message_html: bodyHtml });

export const createTicket = z.object({
  attachment: z
    .string()
    .max(64)
    .describe('Id of one of its attachments; `all`: one archive of those that can still be downloaded.'),
});
export const ticketAnswer = z.object({
  ticket: wire({
    url: z.url().describe('Leads to the bytes without further credentials. Counting begins with the first byte.'),
    expires_at: instantMs,
  }),
});

export type AppReceivedBody = z.input<typeof appReceived>;
export type AppReceivedDetailBody = z.input<typeof appReceivedDetail>;

export const appReceivedEndpoints = {
  listReceived: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/received',
    summary: 'What came: messages, answers to requests, drop deliveries',
    query: appReceivedQuery,
    answer: appReceivedListAnswer,
  }),
  getReceived: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/received/:id',
    summary: 'One of them with its files; looking counts nothing',
    answer: appReceivedAnswer,
  }),
  readReceived: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/received/:id/read',
    summary: 'Open the text of a private message; counted, and the sender is notified',
    answer: readReceivedAnswer,
  }),
  createReceivedTicket: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/received/:id/tickets',
    summary: 'An address to download one file from, or all of them',
    body: createTicket,
    answer: ticketAnswer,
  }),
} as const;
