// Calls of the API: filedrops.
import { uploadStateAnswer } from '../attachments.ts';
import { define, upload } from '../endpoint.ts';
import { filedropAnswer, filedropStatusAnswer, submitFiledrop } from '../filedrops.ts';

export const filedropEndpoints = {
  getFiledrop: define({
    method: 'GET',
    path: '/filedrop/:name',
    tag: 'Filedrops',
    summary: 'Limits of a drop page and a key for one delivery',
    auth: 'none',
    answer: filedropAnswer,
    origin: 'compatibility',
  }),
  uploadForFiledrop: define({
    ...upload,
    path: '/filedrop/:name/attachments/upload',
    tag: 'Filedrops',
    auth: 'drop',
    summary: 'Upload a file for a drop page with its key',
    origin: 'compatibility',
  }),
  uploadForDropPage: define({
    ...upload,
    path: '/filedrop/:name/keys/:key/upload',
    tag: 'Filedrops',
    auth: 'none',
    summary: 'The same for the drop page itself, with its key in the address',
    origin: 'additive',
  }),
  getDropUpload: define({
    method: 'GET',
    path: '/filedrop/:name/keys/:key/uploads/:upload',
    tag: 'Filedrops',
    summary: 'Which pieces of an upload for a drop page have arrived',
    auth: 'none',
    answer: uploadStateAnswer,
    origin: 'additive',
  }),
  submitFiledrop: define({
    method: 'POST',
    path: '/filedrop/:name',
    tag: 'Filedrops',
    summary: 'Deliver the uploaded files',
    auth: 'drop',
    body: submitFiledrop,
    answer: filedropStatusAnswer,
    anyFailureIs422: true,
    origin: 'compatibility',
  }),
} as const;
