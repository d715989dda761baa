// Calls of the web app: the drop page.
import { appDropAnswer, changeDrop } from '../app/filedrops.ts';
import { define } from '../endpoint.ts';

export const appFiledropEndpoints = {
  getAppDrop: define({
    method: 'GET',
    path: '/app-api/drop',
    tag: 'App',
    summary: "The caller's drop page",
    auth: 'key',
    answer: appDropAnswer,
    origin: 'additive',
  }),
  changeAppDrop: define({
    method: 'PUT',
    path: '/app-api/drop',
    tag: 'App',
    summary: 'Switch it on or off',
    auth: 'key',
    body: changeDrop,
    answer: appDropAnswer,
    origin: 'additive',
  }),
  resetAppDrop: define({
    method: 'POST',
    path: '/app-api/drop/reset',
    tag: 'App',
    summary: 'A new random address; the old one stops at once',
    auth: 'key',
    answer: appDropAnswer,
    origin: 'additive',
  }),
} as const;
