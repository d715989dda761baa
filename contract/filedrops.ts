// Drop pages for programs (compatibility 2.7).
import { z } from 'zod';
import { upload, uploadStateAnswer } from './attachments.ts';
import { define } from './endpoint.ts';
import { id, optional } from './wire.ts';

export const filedrop = z
  .object({
    api_key: id.describe('New on every call, lives one day, serves one submission.'),
    name: z.string(),
    permitted_extensions: z.string(),
    limited_extensions: z.string().describe('Older name of permitted_extensions.'),
    blocked_extensions: z.string(),
    max_upload_size: z.int().describe('Mb.'),
  })
  .meta({ id: 'Filedrop' });

export const filedropAnswer = z.object({ filedrop });

export const submitFiledrop = z.object({
  message: z.object({
    from: z.string().max(400),
    name: optional(z.string().max(400)),
    subject: optional(z.string().max(4000)),
    message: optional(z.string()),
    attachments: z.array(z.string().max(64)).max(1000),
  }),
});

export const filedropStatusAnswer = z.object({ message: z.object({ status: z.string() }) });

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
    isOpenInMaintenance: true,
    method: 'GET',
    path: '/filedrop/:name/keys/:key/uploads/:upload',
    tag: 'Filedrops',
    summary: 'Which pieces of an upload for a drop page have arrived',
    auth: 'none',
    answer: uploadStateAnswer,
    origin: 'additive',
  }),
  submitFiledrop: define({
    isOpenInMaintenance: true,
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
