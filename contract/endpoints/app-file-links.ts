// Calls of the web app: FileLinks.
import { appLinkAnswer, appLinksAnswer, appLinksQuery, changeLinkPassword } from '../app/file-links.ts';
import { define } from '../endpoint.ts';

export const appFileLinkEndpoints = {
  listAppLinks: define({
    method: 'GET',
    path: '/app-api/links',
    tag: 'App',
    summary: "The caller's links with what came of them",
    auth: 'key',
    query: appLinksQuery,
    answer: appLinksAnswer,
    origin: 'additive',
  }),
  getAppLink: define({
    method: 'GET',
    path: '/app-api/links/:id',
    tag: 'App',
    summary: 'One link with its downloads',
    auth: 'key',
    answer: appLinkAnswer,
    origin: 'additive',
  }),
  changeLinkPassword: define({
    method: 'PUT',
    path: '/app-api/links/:id/password',
    tag: 'App',
    summary: 'Set, change or remove the password of a link',
    auth: 'key',
    body: changeLinkPassword,
    answer: appLinkAnswer,
    origin: 'additive',
  }),
} as const;
