// Attachments on the wire: what an upload returns, what lists show, and the parameters of an upload.
import { z } from 'zod';
import { derived, named, wire } from './codec.ts';
import { calledByExistingClients, define } from './endpoint.ts';
import { expiresOn, fileName, id, instantMs, integerOf, sha256, sizeBytes, sizeHuman } from './wire.ts';

/** A constant that clients of the specification expect. */
function always<Schema extends z.ZodType>(value: z.output<Schema>, schema: Schema) {
  return derived(schema, () => value);
}

/** Specification "Attachment", with attributes that existing clients expect. Some require `id` first. */
export const attachment = wire({
  id: id.describe('Id of the file; name it when making a link or sending a message.'),
  filename: fileName.describe('Name of the file.'),
  size: sizeBytes.describe('Bytes.'),
  size_human: sizeHuman.describe('The size for people, such as `2.99 MB`.'),
  content_type: z.string().describe('Media type, as the sender named it or guessed from the name.'),
  checksum: sha256.describe('SHA-256, hex. Empty while `processed` is false.'),
  crc32: z.string().describe('CRC-32, 8 hex digits. Empty while `processed` is false.'),
  assembled: always(true, z.boolean().describe('Whether all pieces have been put together.')),
  virus_scan_required: named(
    'isScanRequired',
    z.boolean().describe('Whether the virus scanner must pass it before others can download it.'),
  ),
  virus_scanned: named('isScanned', z.boolean().describe('Whether the virus scanner gave a verdict.')),
  virus_scanned_at: named('scannedAt', instantMs.nullable().describe('When it was scanned.')),
  actionscript: always(
    null,
    z
      .string()
      .nullable()
      .describe('Name of a script of the installation that must look at the file; null without one.'),
  ),
  actionscript_scanned: always(false, z.boolean().describe('Whether that script is done.')),
  actionscript_scanned_at: always(null, instantMs.nullable().describe('When that script was done.')),
  content_blocked: named('isBlocked', z.boolean().describe('Whether the file was blocked for what it contains.')),
  content_blocked_message: named(
    'blockedMessage',
    z.string().nullable().describe('Why it was blocked, in a sentence.'),
  ),
  processed: named('isProcessed', z.boolean().describe('Whether it is stored, hashed and ready to be sent.')),
  processed_at: instantMs.nullable().describe('When it became ready.'),
  available: named('isAvailable', z.boolean().describe('Whether it can be downloaded now.')),
  expires_at: expiresOn.describe('When the file is removed if nothing is sent with it.'),
  created_at: instantMs.describe('When the upload was complete.'),
  messages: named('messageIds', z.array(id).describe('Ids of the messages that hold it.')),
  filelinks: named('linkIds', z.array(id).describe('Ids of the links to it.')),
}).meta({ id: 'Attachment' });

export const attachmentAnswer = z.object({ attachment });
export const attachmentsAnswer = z.object({ attachments: z.array(attachment) });

/** Query of an upload. Everything is text here; the handler reads numbers strictly. */
export const uploadQuery = wire({
  filename: z.string().max(4096).optional().describe('File name.'),
  name: z.string().max(4096).optional().describe('Older name of `filename`.'),
  chunks: z.string().optional().meta(integerOf(0)).describe('Total number of pieces.'),
  chunk: z.string().optional().meta(integerOf(0)).describe('Number of this piece, the first being 0.'),
  content_type: z.string().max(255).optional().describe("The file's type when the header cannot say it."),
  upload_id: z
    .union([id, z.literal('new')])
    .optional()
    .describe('Additive: `new` with the first piece, then the `Upload-Id` of its answer; removes all ambiguity.'),
});

/** Additive: the received chunks of an upload. */
export const uploadState = wire({
  id: id.describe('Id of the upload.'),
  filename: fileName.describe('Name of the file.'),
  chunks: z.int().describe('Number of pieces in all; 0 while it is not known.'),
  received: z.array(z.int()).describe('Numbers of the pieces that are stored, ascending.'),
  received_bytes: z.int().describe('Bytes in those pieces.'),
  state: z
    .enum(['open', 'sealing', 'ready', 'failed'])
    .describe(
      '`open`: takes pieces; `sealing`: all are there and are being put together; `ready`: the file can be sent; `failed`: it has to be sent again.',
    ),
  expires_at: instantMs.describe('When what has arrived is removed unless more follows.'),
}).meta({ id: 'Upload' });
export const uploadStateAnswer = z.object({ upload: uploadState });

export type AttachmentBody = z.input<typeof attachment>;

/** What every upload has in common. */
export const upload = {
  tag: 'Attachments',
  auth: 'key',
  query: uploadQuery,
  body: 'bytes',
  answer: 'piece',
  method: 'POST',
  isOpenInMaintenance: true,
} as const;

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
    summary: 'Upload by multipart form, field `Filedata`; returns the bare id unless JSON was asked for',
    auth: 'key_or_drop',
    query: uploadQuery,
    body: 'form',
    isOpenInMaintenance: true,
    answer: 'id',
    origin: 'compatibility',
  }),
  getUpload: define({
    isOpenInMaintenance: true,
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
    toleratesUnknownFields: calledByExistingClients,
  }),
  deleteMessageAttachment: define({
    method: 'DELETE',
    path: '/message/attachments/:id',
    tag: 'Attachments',
    summary: 'Delete an uploaded file that was not sent',
    auth: 'key',
    answer: 'empty',
    origin: 'compatibility',
    toleratesUnknownFields: calledByExistingClients,
  }),
  deleteAttachmentLegacy: define({
    method: 'DELETE',
    path: '/attachment/:id',
    tag: 'Attachments',
    summary: 'Older name of deleting a file',
    auth: 'key',
    answer: 'empty',
    origin: 'compatibility',
    toleratesUnknownFields: calledByExistingClients,
  }),
} as const;
