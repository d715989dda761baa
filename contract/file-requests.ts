// File Requests on the wire.
import { z } from 'zod';
import { upload, uploadStateAnswer } from './attachments.ts';
import { named, wire } from './codec.ts';
import { dryRun } from './dry-runs.ts';
import { calledByExistingClients, define } from './endpoint.ts';
import { recipientNames } from './messages.ts';
import { expiresOn, flag, id, instantMs, optional, optionalOr, sha256, sizeBytes } from './wire.ts';

export const createFileRequest = z.object({
  request: wire({
    recipient: z.string().max(400).describe('E-mail address of the person to request files from.'),
    names: optionalOr(recipientNames, []),
    subject: optionalOr(z.string().max(4000), '').describe('One line.'),
    message: named('body', optionalOr(z.string(), '')).describe('Text: what is needed, and for what.'),
    send_email: optionalOr(flag, true).describe('Default true.'),
    expires_at: named('expiresOn', optional(z.string())).describe('Date.'),
    multiuse: named('isReusable', optional(flag)).describe(
      'Whether files can be sent more than once. Left out: as the group says.',
    ),
    bcc_myself: named('copyToSender', optionalOr(flag, false)).describe(
      'A copy of the e-mail to the caller. Left out: as the group says.',
    ),
    dry_run: dryRun,
  }),
});

/** Specification: id, url, expires_at, created_at; older documents add subject and message, so all are sent. */
export const fileRequest = wire({
  id: id.describe('Id of the request.'),
  url: z.url().describe('Where files are sent to.'),
  expires_at: expiresOn.describe('The last day on which files can be sent.'),
  created_at: instantMs.describe('When it was made.'),
  subject: z.string().describe('As in the request.'),
  message: named('body', z.string().describe('As in the request.')),
}).meta({ id: 'FileRequest' });

export const fileRequestAnswer = z.object({ request: fileRequest });

export const deliverToRequest = z.object({
  delivery: wire({
    attachments: named(
      'attachmentIds',
      z.array(z.string().max(64)).min(1).max(1000).describe('Ids of files uploaded for this request.'),
    ),
    note: optionalOr(z.string().max(100_000), '').describe('For the person who asked.'),
  }),
});

export const deliveryAnswer = z.object({
  delivery: wire({
    reference: id.describe('Id of the delivery; quote it to the person who asked.'),
    delivered_at: instantMs.describe('When it was handed over.'),
    files: z
      .array(
        wire({
          filename: named('name', z.string().describe('Name of the file.')),
          size: sizeBytes.describe('Bytes.'),
          checksum: sha256.describe('SHA-256, hex.'),
        }),
      )
      .describe('What was handed over.'),
    receipt_url: z.url().describe('A page that shows this delivery.'),
  }).meta({ id: 'Delivery' }),
});

export const fileRequestEndpoints = {
  createFileRequest: define({
    method: 'POST',
    path: '/requests',
    tag: 'File Requests',
    summary: 'Request files from a person',
    auth: 'key',
    body: createFileRequest,
    answer: fileRequestAnswer,
    dryRuns: true,
    anyFailureIs422: true,
    idempotent: true,
    toleratesUnknownFields: calledByExistingClients,
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
    isOpenInMaintenance: true,
    method: 'GET',
    path: '/requests/:id/uploads/:upload',
    tag: 'File Requests',
    summary: 'Which pieces of an upload for a File Request have arrived',
    auth: 'none',
    answer: uploadStateAnswer,
    origin: 'additive',
  }),
  deliverToRequest: define({
    isOpenInMaintenance: true,
    method: 'POST',
    path: '/requests/:id/deliveries',
    tag: 'File Requests',
    summary: 'Hand over the files uploaded for a File Request; the same files again return the same answer',
    auth: 'none',
    body: deliverToRequest,
    answer: deliveryAnswer,
    origin: 'additive',
  }),
} as const;
