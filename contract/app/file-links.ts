// FileLinks for the web app, with their downloads.
import { z } from 'zod';
import { fieldsOf, named, wire } from '../codec.ts';
import { download } from '../downloads.ts';
import { appCall, define } from '../endpoint.ts';
import { knownNames, listAnswer, listQuery, sortBy } from '../lists.ts';
import { date, expiresOn, fileName, id, instantMs, otherwise, sha256, sizeBytes, sizeHuman } from '../wire.ts';
import { zone } from './downloads.ts';

export const appLinkState = z
  .enum(['active', 'ending', 'expired', 'deleted'])
  .describe('ending: three days or less are left.');

export const appLink = wire({
  id,
  attachment_id: id,
  filename: fileName,
  size: sizeBytes,
  size_human: sizeHuman,
  content_type: z.string(),
  created_at: instantMs,
  expires_at: expiresOn.describe('Last day.'),
  has_password: z.boolean(),
  require_authentication: named('requireSignIn', z.boolean()),
  send_download_confirmation: named('sendReceipt', z.boolean()),
  downloads: z.int().min(0),
  last_download_at: instantMs.nullable(),
  state: appLinkState,
  url: z.url(),
}).meta({ id: 'AppLink' });

export const appLinksQuery = listQuery(
  sortBy(['-created_at', 'created_at', '-expires_at', 'expires_at', '-size', 'size'], { size: 'sizeBytes' }),
  {
    state: otherwise(
      z.enum([...appLinkState.options, 'live']).describe('live: active or ending. All but deleted ones when left out.'),
      null,
    ),
  },
);
export const appLinksAnswer = listAnswer(appLink, {});

export const appLinkDetail = wire({
  ...fieldsOf(appLink),
  checksum: sha256,
  crc32: z.string(),
  downloads_per_day: z
    .array(z.object({ date, downloads: z.int().min(1) }))
    .describe('Days with downloads, oldest first, of the last 90.'),
  recent_downloads: z.array(download).describe('The newest 25, newest first.'),
  names: knownNames,
}).meta({ id: 'AppLinkDetail' });
export const appLinkAnswer = z.object({ link: appLinkDetail });

export const changeLinkPassword = z.object({
  password: z.string().max(1024).nullable().describe('null removes it. Never part of an answer.'),
});

export type AppLinkBody = z.input<typeof appLink>;
export type AppLinkDetailBody = z.input<typeof appLinkDetail>;

export const appFileLinkEndpoints = {
  listAppLinks: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/links',
    summary: "The caller's links with what came of them",
    query: appLinksQuery,
    answer: appLinksAnswer,
  }),
  getAppLink: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/links/:id',
    summary: 'One link with its downloads',
    query: wire({ zone }),
    answer: appLinkAnswer,
  }),
  changeLinkPassword: define({
    ...appCall,
    method: 'PUT',
    path: '/app-api/links/:id/password',
    summary: 'Set, change or remove the password of a link',
    body: changeLinkPassword,
    answer: appLinkAnswer,
  }),
} as const;
