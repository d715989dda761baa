// What came to the caller: messages, answers to their requests, deliveries to their drop page.
import { z } from 'zod';
import { appCall, define } from '../endpoint.ts';
import { date, id, instant } from '../wire.ts';
import { knownNames, listAnswer, listQuery } from './lists.ts';

const person = z.object({ name: z.string().describe('The address when no name is known.'), address: z.string() });

export const appReceived = z
  .object({
    id: id.describe('Id of the message.'),
    kind: z.enum(['message', 'request', 'drop']),
    from: person,
    is_sender_confirmed: z.boolean().describe('false: the address was typed and never confirmed.'),
    subject: z.string(),
    files: z.int().min(0),
    size: z.int().min(0),
    size_human: z.string(),
    received_at: instant,
    expires_at: date.describe('Last day.'),
    is_private: z.boolean(),
    state: z.enum(['new', 'downloaded', 'expired']).describe('downloaded: the caller has fetched a file of it whole.'),
  })
  .meta({ id: 'AppReceived' });

export const appReceivedQuery = listQuery([
  '-received_at',
  'received_at',
  '-expires_at',
  'expires_at',
  '-size',
  'size',
]).extend({
  state: appReceived.shape.state.optional(),
  kind: appReceived.shape.kind.optional(),
  person: z.string().max(320).optional().describe('Address of the sender.'),
});
export const appReceivedListAnswer = listAnswer(appReceived);

const formatted = z.string().optional().describe('The same as cleaned HTML; only when it was sent as such.');

export const appReceivedDetail = appReceived
  .extend({
    to: z.array(z.string()),
    cc: z.array(z.string()),
    names: knownNames,
    request_id: id.nullable().describe('The request it answers.'),
    authorization: z.int().min(0).max(4),
    message: z.string().nullable().describe('null: private; `read` opens it, which is counted.'),
    message_html: formatted,
    downloads_left: z.int().min(0).nullable().describe('Least over its files; null = no limit.'),
    url: z.url().describe('Its page.'),
    attachments: z.array(
      z.object({
        id,
        filename: z.string(),
        size: z.int().min(0),
        size_human: z.string(),
        content_type: z.string(),
        checksum: z.string(),
        crc32: z.string(),
        state: z.enum(['ready', 'checking', 'used_up', 'removed']),
        downloads_left: z.int().min(0).nullable(),
        downloaded_at: instant.nullable().describe('When the caller last fetched it whole.'),
      }),
    ),
  })
  .meta({ id: 'AppReceivedDetail' });
export const appReceivedAnswer = z.object({ received: appReceivedDetail });

export const readReceivedAnswer = z.object({ message: z.string(), message_html: formatted });

export const createTicket = z.object({
  attachment: z
    .string()
    .max(64)
    .describe('Id of one of its attachments; `all`: one archive of those that can still be downloaded.'),
});
export const ticketAnswer = z.object({
  ticket: z.object({
    url: z.url().describe('Leads to the bytes without further credentials. Counting begins with the first byte.'),
    expires_at: instant,
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
    summary: 'Open the text of a private message; counted and told to the sender',
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
