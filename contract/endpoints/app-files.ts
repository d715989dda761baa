// Calls of the web app: files that are still stored.
import { appFilesAnswer, appFilesQuery } from '../app/files.ts';
import { define } from '../endpoint.ts';

export const appFileEndpoints = {
  listAppFiles: define({
    method: 'GET',
    path: '/app-api/files',
    tag: 'App',
    summary: 'Files that can be sent or linked again without another upload',
    auth: 'key',
    query: appFilesQuery,
    answer: appFilesAnswer,
    origin: 'additive',
  }),
} as const;
