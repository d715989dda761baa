// Calls of the API: File Requests.
import { uploadStateAnswer } from '../attachments.ts';
import { define, upload } from '../endpoint.ts';
import { createFileRequest, fileRequestAnswer } from '../file-requests.ts';

export const fileRequestEndpoints = {
  createFileRequest: define({
    method: 'POST',
    path: '/requests',
    tag: 'File Requests',
    summary: 'Ask somebody for files',
    auth: 'key',
    body: createFileRequest,
    answer: fileRequestAnswer,
    anyFailureIs422: true,
    idempotent: true,
  }),
  uploadForRequest: define({
    ...upload,
    path: '/requests/:id/attachments/upload',
    tag: 'File Requests',
    auth: 'none',
    summary: 'Upload a file for a File Request, whole or in pieces',
    origin: 'additive',
  }),
  getRequestUpload: define({
    method: 'GET',
    path: '/requests/:id/uploads/:upload',
    tag: 'File Requests',
    summary: 'Which pieces of an upload for a File Request have arrived',
    auth: 'none',
    answer: uploadStateAnswer,
    origin: 'additive',
  }),
} as const;
