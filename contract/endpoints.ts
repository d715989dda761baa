// Every call of the HTTP API: method, path, who may call, what goes in, what comes out. The server registers from this
// list, tests check replies against it, and OpenAPI is made from it. A call without `auth` does not compile.
import type { z } from 'zod';
import { accountAnswer, apiKeyAnswer, apiKeyQuery, login } from './account.ts';
import { groupAnswer, groupInput, groupsAnswer } from './admin/groups.ts';
import { userAnswer, userInput, usersAnswer } from './admin/users.ts';
import { attachmentsAnswer, uploadQuery, uploadStateAnswer } from './attachments.ts';
import { downloadsAnswer, downloadsQuery } from './downloads.ts';
import {
  createFileLink,
  fileLinkAnswer,
  fileLinksAnswer,
  listFileLinksQuery,
  updateAuthentication,
  updateDownloadConfirmation,
  updateExpiresAt,
} from './file-links.ts';

export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` marks a parameter. */
  path: string;
  tag: string;
  summary: string;
  /** `key`: an API key, Basic or Bearer. `none`: no credentials are read. */
  auth: 'key' | 'none';
  query?: z.ZodObject;
  /** A schema for JSON; `bytes` for a raw body that is never parsed; `form` for multipart. */
  body?: z.ZodType | 'bytes' | 'form';
  /** A schema for JSON; `empty` for 200 without a body; `piece` for either; `id` for the bare id as text or JSON. */
  answer: z.ZodType | 'empty' | 'piece' | 'id';
  /** The specification says that any failure of this call is a 422, so a body that is not JSON is one too. */
  anyFailureIs422?: boolean;
  /** Beyond the specification: `compatibility` for existing clients, `additive` for ours. */
  origin?: 'compatibility' | 'additive';
  /** Accepts an Idempotency-Key header. */
  idempotent?: boolean;
}

function define<const Definition extends Endpoint>(definition: Definition): Definition {
  return definition;
}

const upload = {
  tag: 'Attachments',
  auth: 'key',
  query: uploadQuery,
  body: 'bytes',
  answer: 'piece',
  method: 'POST',
} as const;

export const endpoints = {
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
  createFileLink: define({
    method: 'POST',
    path: '/link',
    tag: 'FileLinks',
    summary: 'Create a FileLink',
    auth: 'key',
    body: createFileLink,
    answer: fileLinkAnswer,
    anyFailureIs422: true,
    idempotent: true,
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
  }),
  listDownloads: define({
    method: 'GET',
    path: '/downloads',
    tag: 'Download log',
    summary: "All downloads of the caller's files",
    auth: 'key',
    query: downloadsQuery,
    answer: downloadsAnswer,
    anyFailureIs422: true,
  }),
  listLinkDownloads: define({
    method: 'GET',
    path: '/link/:id/downloads',
    tag: 'Download log',
    summary: 'Downloads of one FileLink',
    auth: 'key',
    answer: downloadsAnswer,
    anyFailureIs422: true,
  }),
  getAccount: define({
    method: 'GET',
    path: '/account',
    tag: 'Account',
    summary: "The caller's account and group settings",
    auth: 'key',
    answer: accountAnswer,
  }),
  getAccountByPost: define({
    method: 'POST',
    path: '/account',
    tag: 'Account',
    summary: 'The same, for an old client that posts',
    auth: 'key',
    answer: accountAnswer,
    origin: 'compatibility',
  }),
  getApiKey: define({
    method: 'GET',
    path: '/account/api_key',
    tag: 'Account',
    summary: "Read a user's API key (administrators)",
    auth: 'key',
    query: apiKeyQuery,
    answer: apiKeyAnswer,
  }),
  login: define({
    method: 'POST',
    path: '/login',
    tag: 'Account',
    summary: 'The API key for an address and a password',
    auth: 'none',
    body: login,
    answer: apiKeyAnswer,
    origin: 'compatibility',
  }),
  listUsers: define({
    method: 'GET',
    path: '/admin/users',
    tag: 'Administration',
    summary: 'List people',
    auth: 'key',
    answer: usersAnswer,
    origin: 'compatibility',
  }),
  createUser: define({
    method: 'POST',
    path: '/admin/users',
    tag: 'Administration',
    summary: 'Add a person',
    auth: 'key',
    body: userInput,
    answer: userAnswer,
    origin: 'compatibility',
  }),
  getUser: define({
    method: 'GET',
    path: '/admin/users/:id',
    tag: 'Administration',
    summary: 'One person',
    auth: 'key',
    answer: userAnswer,
    origin: 'compatibility',
  }),
  changeUser: define({
    method: 'PUT',
    path: '/admin/users/:id',
    tag: 'Administration',
    summary: 'Change a person',
    auth: 'key',
    body: userInput,
    answer: userAnswer,
    origin: 'compatibility',
  }),
  deleteUser: define({
    method: 'DELETE',
    path: '/admin/users/:id',
    tag: 'Administration',
    summary: 'Remove a person and their files',
    auth: 'key',
    answer: 'empty',
    origin: 'compatibility',
  }),
  listGroups: define({
    method: 'GET',
    path: '/admin/groups',
    tag: 'Administration',
    summary: 'List groups',
    auth: 'key',
    answer: groupsAnswer,
    origin: 'compatibility',
  }),
  createGroup: define({
    method: 'POST',
    path: '/admin/groups',
    tag: 'Administration',
    summary: 'Make a group',
    auth: 'key',
    body: groupInput,
    answer: groupAnswer,
    origin: 'compatibility',
  }),
  getGroup: define({
    method: 'GET',
    path: '/admin/groups/:id',
    tag: 'Administration',
    summary: 'One group with its settings',
    auth: 'key',
    answer: groupAnswer,
    origin: 'compatibility',
  }),
  changeGroup: define({
    method: 'PUT',
    path: '/admin/groups/:id',
    tag: 'Administration',
    summary: 'Change a group',
    auth: 'key',
    body: groupInput,
    answer: groupAnswer,
    origin: 'compatibility',
  }),
  deleteGroup: define({
    method: 'DELETE',
    path: '/admin/groups/:id',
    tag: 'Administration',
    summary: 'Delete a group without members',
    auth: 'key',
    answer: 'empty',
    origin: 'compatibility',
  }),
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
