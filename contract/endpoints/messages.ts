// Calls of the API: messages.

import { define } from '../endpoint.ts';
import {
  createdMessageAnswer,
  createMessage,
  inboxAnswer,
  listMessagesQuery,
  messageAnswer,
  sentAnswer,
} from '../messages.ts';

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
    anyFailureIs422: true,
    idempotent: true,
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
  }),
} as const;
