// Calls of the web app: what came to the caller.
import {
  appReceivedAnswer,
  appReceivedListAnswer,
  appReceivedQuery,
  createTicket,
  readReceivedAnswer,
  ticketAnswer,
} from '../app/received.ts';
import { define } from '../endpoint.ts';

export const appReceivedEndpoints = {
  listReceived: define({
    method: 'GET',
    path: '/app-api/received',
    tag: 'App',
    summary: 'What came: messages, answers to requests, drop deliveries',
    auth: 'key',
    query: appReceivedQuery,
    answer: appReceivedListAnswer,
    origin: 'additive',
  }),
  getReceived: define({
    method: 'GET',
    path: '/app-api/received/:id',
    tag: 'App',
    summary: 'One of them with its files; looking counts nothing',
    auth: 'key',
    answer: appReceivedAnswer,
    origin: 'additive',
  }),
  readReceived: define({
    method: 'POST',
    path: '/app-api/received/:id/read',
    tag: 'App',
    summary: 'Open the text of a private message; counted and told to the sender',
    auth: 'key',
    answer: readReceivedAnswer,
    origin: 'additive',
  }),
  createReceivedTicket: define({
    method: 'POST',
    path: '/app-api/received/:id/tickets',
    tag: 'App',
    summary: 'An address to download one file from, or all of them',
    auth: 'key',
    body: createTicket,
    answer: ticketAnswer,
    origin: 'additive',
  }),
} as const;
