// FileLinks on the wire, exactly as the specification words them.
import { z } from 'zod';
import { named, wire } from './codec.ts';
import { dryRun } from './dry-runs.ts';
import { calledByExistingClients, define } from './endpoint.ts';
import { digitsParameter } from './parameters.ts';
import { expiresOn, fileName, flag, id, instantMs, optional, refusal, sizeBytes, sizeHuman } from './wire.ts';

export const fileLink = wire({
  id: id.describe('Id of the link.'),
  filename: fileName.describe('Name of the file behind it.'),
  size: sizeBytes.describe('Bytes.'),
  size_human: sizeHuman.describe('The size for people, such as `2.99 MB`.'),
  expires_at: expiresOn.describe('The last day on which it can be opened.'),
  send_download_confirmation: named(
    'sendReceipt',
    z.boolean().describe('Whether the owner is notified of downloads by e-mail.'),
  ),
  require_authentication: named(
    'requireSignIn',
    z.boolean().describe('Whether downloading needs a confirmed e-mail address.'),
  ),
  url: z.url().describe('The address to hand out.'),
  created_at: instantMs.describe('When it was created.'),
  updated_at: instantMs.describe('When it was last changed.'),
}).meta({ id: 'FileLink' });

export const fileLinkAnswer = z.object({ link: fileLink });
export const fileLinksAnswer = z.object({ links: z.array(fileLink) });

const notText = (input: unknown) => ({
  message: `Invalid input: expected string, received ${input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input}`,
});

const newLink = wire({
  attachment: z
    .union(
      [
        z.string(),
        wire({
          filename: named('fileName', z.string().max(4096).describe('Name of the file.')),
          size: sizeBytes.describe('Bytes.'),
        }),
      ],
      {
        error: ({ input }) => notText(input),
      },
    )
    .describe('Id of an uploaded attachment; for a dry run also the name and size of a file that is not uploaded.'),
  expires_at: named('expiresOn', optional(z.string()).describe("Date. Default: the group's number of days ahead.")),
  password: optional(z.string().max(1024)).describe('Password required before download. Never part of an answer.'),
  download_receipt: optional(flag).describe('Default true. false: no receipts are sent.'),
  send_download_confirmation: optional(flag).describe('Newer name of `download_receipt`.'),
  require_authentication: named(
    'requireSignIn',
    optional(flag).describe('Whether download needs proof of an address.'),
  ),
  dry_run: dryRun,
}).superRefine(({ attachment, dryRun }, { addIssue }) => {
  if (typeof attachment !== 'string' && dryRun !== true)
    addIssue({ code: 'custom', path: ['attachment'], ...notText(attachment) });
});

export const createFileLink = z.object({ link: newLink });

export const listFileLinksQuery = z.object({
  limit: digitsParameter(/^\d+$/, refusal('link.bad_limit', 'The parameter "limit" must be a whole number.')).describe(
    'Maximum number of FileLinks returned.',
  ),
});

export const updateAuthentication = wire({
  require_authentication: named(
    'requireSignIn',
    flag.describe('Whether downloading needs a confirmed e-mail address.'),
  ),
});
export const updateDownloadConfirmation = wire({
  send_download_confirmation: named(
    'sendReceipt',
    flag.describe('Whether the owner is notified of downloads by e-mail.'),
  ),
});
export const updateExpiresAt = wire({
  expires_at: named('expiresOn', z.string().describe('Date; the last day on which it can be opened.')),
});

export const fileLinkEndpoints = {
  createFileLink: define({
    method: 'POST',
    path: '/link',
    tag: 'FileLinks',
    summary: 'Create a FileLink',
    auth: 'key',
    body: createFileLink,
    answer: fileLinkAnswer,
    dryRuns: true,
    anyFailureIs422: true,
    idempotent: true,
    toleratesUnknownFields: calledByExistingClients,
  }),
  listFileLinks: define({
    method: 'GET',
    path: '/link',
    tag: 'FileLinks',
    summary: "List the caller's FileLinks",
    auth: 'key',
    query: listFileLinksQuery,
    answer: fileLinksAnswer,
  }),
  getFileLink: define({
    method: 'GET',
    path: '/link/:id',
    tag: 'FileLinks',
    summary: "One of the caller's FileLinks",
    auth: 'key',
    answer: fileLinkAnswer,
    origin: 'additive',
  }),
  deleteFileLink: define({
    method: 'DELETE',
    path: '/link/:id',
    tag: 'FileLinks',
    summary: 'Delete a FileLink',
    auth: 'key',
    answer: 'empty',
    toleratesUnknownFields: calledByExistingClients,
  }),
  updateAuthentication: define({
    method: 'PUT',
    path: '/link/:id/update_authentication',
    tag: 'FileLinks',
    summary: 'Change whether downloaders must authenticate',
    auth: 'key',
    body: updateAuthentication,
    answer: fileLinkAnswer,
    anyFailureIs422: true,
    toleratesUnknownFields: calledByExistingClients,
  }),
  updateDownloadConfirmation: define({
    method: 'PUT',
    path: '/link/:id/update_download_confirmation',
    tag: 'FileLinks',
    summary: 'Change whether download notifications are sent',
    auth: 'key',
    body: updateDownloadConfirmation,
    answer: fileLinkAnswer,
    anyFailureIs422: true,
    toleratesUnknownFields: calledByExistingClients,
  }),
  updateExpiresAt: define({
    method: 'PUT',
    path: '/link/:id/update_expires_at',
    tag: 'FileLinks',
    summary: 'Change the expiry date',
    auth: 'key',
    body: updateExpiresAt,
    answer: fileLinkAnswer,
    anyFailureIs422: true,
    toleratesUnknownFields: calledByExistingClients,
  }),
} as const;
