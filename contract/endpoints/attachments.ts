// Calls of the API: attachments.
import { attachmentsAnswer, uploadQuery, uploadStateAnswer } from '../attachments.ts';
import { define, upload } from '../endpoint.ts';

export const attachmentEndpoints = {
  uploadForLink: define({
    ...upload,
    path: '/link/attachments/upload',
    summary: 'Upload a file for a FileLink, whole or in pieces',
  }),
  uploadForMessage: define({
    ...upload,
    path: '/message/attachments/upload',
    summary: 'Upload a file for a message, whole or in pieces',
  }),
  uploadLegacy: define({
    ...upload,
    path: '/attachments/binary_upload',
    summary: 'Older name of the message upload',
    origin: 'compatibility',
  }),
  uploadLegacyJson: define({
    ...upload,
    path: '/attachments/binary_upload.json',
    summary: 'Older name of the message upload',
    origin: 'compatibility',
  }),
  uploadForm: define({
    method: 'POST',
    path: '/attachments',
    tag: 'Attachments',
    summary: 'Upload by multipart form, field `Filedata`; answers the bare id unless JSON was asked for',
    auth: 'key',
    query: uploadQuery,
    body: 'form',
    answer: 'id',
    origin: 'compatibility',
  }),
  getUpload: define({
    method: 'GET',
    path: '/uploads/:id',
    tag: 'Attachments',
    summary: 'Which pieces of an upload have arrived',
    auth: 'key',
    answer: uploadStateAnswer,
    origin: 'additive',
  }),
  listAttachments: define({
    method: 'GET',
    path: '/attachments',
    tag: 'Attachments',
    summary: "The caller's files that can be used",
    auth: 'key',
    answer: attachmentsAnswer,
    origin: 'compatibility',
  }),
  deleteAttachment: define({
    method: 'DELETE',
    path: '/attachments/:id',
    tag: 'Attachments',
    summary: 'Delete an uploaded file that was not sent',
    auth: 'key',
    answer: 'empty',
    origin: 'compatibility',
  }),
  deleteMessageAttachment: define({
    method: 'DELETE',
    path: '/message/attachments/:id',
    tag: 'Attachments',
    summary: 'Delete an uploaded file that was not sent',
    auth: 'key',
    answer: 'empty',
    origin: 'compatibility',
  }),
  deleteAttachmentLegacy: define({
    method: 'DELETE',
    path: '/attachment/:id',
    tag: 'Attachments',
    summary: 'Older name of deleting a file',
    auth: 'key',
    answer: 'empty',
    origin: 'compatibility',
  }),
} as const;
