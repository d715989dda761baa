// Calls of the web app: File Requests.
import {
  appRequestAnswer,
  appRequestsAnswer,
  appRequestsQuery,
  extendRequest,
  reopenRequest,
} from '../app/file-requests.ts';
import { define } from '../endpoint.ts';

export const appFileRequestEndpoints = {
  listAppRequests: define({
    method: 'GET',
    path: '/app-api/requests',
    tag: 'App',
    summary: "The caller's File Requests",
    auth: 'key',
    query: appRequestsQuery,
    answer: appRequestsAnswer,
    origin: 'additive',
  }),
  getAppRequest: define({
    method: 'GET',
    path: '/app-api/requests/:id',
    tag: 'App',
    summary: 'One File Request with its deliveries and mails',
    auth: 'key',
    answer: appRequestAnswer,
    origin: 'additive',
  }),
  remindRequest: define({
    method: 'POST',
    path: '/app-api/requests/:id/remind',
    tag: 'App',
    summary: 'Mail the asked person once more',
    auth: 'key',
    answer: appRequestAnswer,
    origin: 'additive',
  }),
  closeRequest: define({
    method: 'POST',
    path: '/app-api/requests/:id/close',
    tag: 'App',
    summary: 'Take no more deliveries',
    auth: 'key',
    answer: appRequestAnswer,
    origin: 'additive',
  }),
  extendRequest: define({
    method: 'POST',
    path: '/app-api/requests/:id/extend',
    tag: 'App',
    summary: 'Give it a new last day',
    auth: 'key',
    body: extendRequest,
    answer: appRequestAnswer,
    origin: 'additive',
  }),
  reopenRequest: define({
    method: 'POST',
    path: '/app-api/requests/:id/reopen',
    tag: 'App',
    summary: 'Open an ended one again, at the same address',
    auth: 'key',
    body: reopenRequest,
    answer: appRequestAnswer,
    origin: 'additive',
  }),
} as const;
