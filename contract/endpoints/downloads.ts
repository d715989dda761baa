// Calls of the API: download log.
import { downloadsAnswer, downloadsQuery } from '../downloads.ts';
import { define } from '../endpoint.ts';

export const downloadEndpoints = {
  listMessageDownloads: define({
    method: 'GET',
    path: '/message/:id/downloads',
    tag: 'Download log',
    summary: 'Downloads of one message',
    auth: 'key',
    answer: downloadsAnswer,
    anyFailureIs422: true,
  }),
  listDownloads: define({
    method: 'GET',
    path: '/downloads',
    tag: 'Download log',
    summary: "All downloads of the caller's files",
    auth: 'key',
    query: downloadsQuery,
    answer: downloadsAnswer,
    anyFailureIs422: true,
  }),
  listLinkDownloads: define({
    method: 'GET',
    path: '/link/:id/downloads',
    tag: 'Download log',
    summary: 'Downloads of one FileLink',
    auth: 'key',
    answer: downloadsAnswer,
    anyFailureIs422: true,
  }),
} as const;
