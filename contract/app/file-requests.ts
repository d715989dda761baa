// File Requests for the web app, with their answers.
import { z } from 'zod';
import { derived, fieldsOf, named, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { knownNames, listAnswer, listQuery, sortBy } from '../lists.ts';
import { expiresOn, fileName, id, instantMs, optional, optionalOr, otherwise, sizeBytes, sizeHuman } from '../wire.ts';

export const appRequestState = z
  .enum(['waiting', 'received', 'open', 'expired', 'closed', 'used'])
  .describe(
    'waiting: open, nothing came yet. open: something came, more may come. received: answered. used: answered, and the files are gone by now.',
  );

export const appRequest = wire({
  id,
  recipient: z.string(),
  subject: z.string(),
  created_at: instantMs,
  expires_at: expiresOn.describe('Last day.'),
  multiuse: named('isReusable', z.boolean()),
  state: appRequestState,
  deliveries: z.int().min(0),
  files: z.int().min(0),
  last_delivery_at: named('lastAt', instantMs.nullable()),
  url: z.url(),
}).meta({ id: 'AppRequest' });

export const appRequestsQuery = listQuery(sortBy(['-created_at', 'created_at', '-expires_at', 'expires_at']), {
  state: otherwise(appRequestState, null),
});
export const appRequestsAnswer = listAnswer(appRequest, { names: knownNames });

export const appDelivery = wire({
  message_id: named('id', id.describe('Opens under received as well.')),
  sender: z.string(),
  sender_name: z.string(),
  is_sender_confirmed: z.boolean(),
  subject: z.string(),
  received_at: named('createdAt', instantMs),
  expires_at: expiresOn,
  size: sizeBytes,
  size_human: sizeHuman,
  is_available: derived(z.boolean(), ({ state }: { state: string }) => state === 'active'),
  files: z.array(
    wire({
      id: named('attachmentId', id),
      filename: fileName,
      size: sizeBytes,
      size_human: sizeHuman,
      is_available: z.boolean(),
    }),
  ),
}).meta({ id: 'AppDelivery' });

export const appRequestDetail = wire({
  ...fieldsOf(appRequest),
  message: named('body', z.string()),
  names: knownNames,
  deliveries_list: named('answers', z.array(appDelivery).describe('Newest first, at most 100.')),
  mails: z
    .array(
      wire({
        kind: z.enum(['request', 'reminder']),
        address: z.string(),
        state: z.enum(['waiting', 'accepted', 'refused', 'cancelled']),
        server_text: z.string().describe('What the mail server said.'),
        created_at: instantMs,
        finished_at: instantMs.nullable(),
      }),
    )
    .describe('Newest first, at most 100.'),
  reminders: wire({
    sent: z.int().min(0),
    most: z.int().min(0),
    last_at: instantMs.nullable(),
    next_at: instantMs.nullable().describe('When the next one may go; null when none may.'),
  }),
  may: z.object({
    remind: z.boolean(),
    close: z.boolean(),
    extend: z.boolean(),
    reopen: z.boolean().describe('Closed or expired: open again with a new last day.'),
  }),
}).meta({ id: 'AppRequestDetail' });
export const appRequestAnswer = z.object({ request: appRequestDetail });

export const extendRequest = wire({
  expires_at: named('expiresOn', z.string().max(40).describe('Date: the new last day.')),
});
export const reopenRequest = wire({
  expires_at: named(
    'expiresOn',
    optional(z.string().max(40)).describe("Date. Default: the group's number of days ahead."),
  ),
  send_email: optionalOr(z.boolean(), true).describe('Mail the request again. Default true.'),
});

export type AppRequestBody = z.input<typeof appRequest>;
export type AppRequestDetailBody = z.input<typeof appRequestDetail>;
export type AppDeliveryBody = z.input<typeof appDelivery>;

export const appFileRequestEndpoints = {
  listAppRequests: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/requests',
    summary: "The caller's File Requests",
    query: appRequestsQuery,
    answer: appRequestsAnswer,
  }),
  getAppRequest: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/requests/:id',
    summary: 'One File Request with its deliveries and mails',
    answer: appRequestAnswer,
  }),
  remindRequest: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/requests/:id/remind',
    summary: 'Mail the asked person once more',
    answer: appRequestAnswer,
  }),
  closeRequest: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/requests/:id/close',
    summary: 'Take no more deliveries',
    answer: appRequestAnswer,
  }),
  extendRequest: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/requests/:id/extend',
    summary: 'Give it a new last day',
    body: extendRequest,
    answer: appRequestAnswer,
  }),
  reopenRequest: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/requests/:id/reopen',
    summary: 'Open an ended one again, at the same address',
    body: reopenRequest,
    answer: appRequestAnswer,
  }),
} as const;
