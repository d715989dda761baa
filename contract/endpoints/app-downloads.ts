// Calls of the web app: the download log.
import {
  appLogAnswer,
  appLogExportQuery,
  appLogFiguresAnswer,
  appLogFiguresQuery,
  appLogQuery,
} from '../app/downloads.ts';
import { define } from '../endpoint.ts';

export const appDownloadEndpoints = {
  listAppLog: define({
    method: 'GET',
    path: '/app-api/log',
    tag: 'App',
    summary: "Downloads of the caller's files, filtered",
    auth: 'key',
    query: appLogQuery,
    answer: appLogAnswer,
    origin: 'additive',
  }),
  getAppLogFigures: define({
    method: 'GET',
    path: '/app-api/log/figures',
    tag: 'App',
    summary: 'Sums over the same downloads',
    auth: 'key',
    query: appLogFiguresQuery,
    answer: appLogFiguresAnswer,
    origin: 'additive',
  }),
  exportAppLog: define({
    method: 'GET',
    path: '/app-api/log/export',
    tag: 'App',
    summary: 'The same downloads as a file',
    auth: 'key',
    query: appLogExportQuery,
    // A press on a link of our own page: the browser saves the answer and can send no header with it.
    sessionProof: 'own_page',
    answer: 'file',
    origin: 'additive',
  }),
} as const;
