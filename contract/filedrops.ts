// Drop pages for programs.
import { z } from 'zod';
import { upload, uploadStateAnswer } from './attachments.ts';
import { derived, named, wire } from './codec.ts';
import { calledByExistingClients, define } from './endpoint.ts';
import { id, optionalOr } from './wire.ts';

export const filedrop = wire({
  api_key: id.describe('New on every call, lives one day, serves one submission.'),
  name: z.string().describe('Name of the drop page, as in its address.'),
  permitted_extensions: z.string().describe('Only files with these endings are taken, with commas; empty: all.'),
  limited_extensions: derived(
    z.string().describe('Older name of permitted_extensions.'),
    (of: { permittedExtensions: string }) => of.permittedExtensions,
  ),
  blocked_extensions: z.string().describe('Files with these endings are not taken, with commas.'),
  max_upload_size: z.int().describe('Mb.'),
}).meta({ id: 'Filedrop' });

export const filedropAnswer = z.object({ filedrop });

export const submitFiledrop = z.object({
  message: wire({
    from: z.string().max(400).describe('E-mail address of the sender.'),
    name: optionalOr(z.string().max(400), '').describe('Their name.'),
    subject: optionalOr(z.string().max(4000), '').describe('One line.'),
    message: named('note', optionalOr(z.string(), '')).describe('Text for the owner of the page.'),
    attachments: named(
      'attachmentIds',
      z.array(z.string().max(64)).max(1000).describe('Ids of files uploaded with this key.'),
    ),
  }),
});

export const filedropStatusAnswer = z.object({
  message: z.object({ status: z.string().describe('A sentence for the person who sent.') }),
});

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
    toleratesUnknownFields: calledByExistingClients,
  }),
} as const;
