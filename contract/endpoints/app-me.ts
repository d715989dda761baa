// Calls of the web app: who is signed in, and what is new.
import { meAnswer } from '../app/me.ts';
import { define } from '../endpoint.ts';

export const appMeEndpoints = {
  getMe: define({
    method: 'GET',
    path: '/app-api/me',
    tag: 'App',
    summary: 'The caller, their group, and what the web app must know',
    auth: 'key',
    sessionProof: 'own_page',
    answer: meAnswer,
    origin: 'additive',
  }),
  followEvents: define({
    method: 'GET',
    path: '/app-api/events',
    tag: 'App',
    summary: "Server-sent events: which of the caller's things changed. `Last-Event-ID` resumes",
    auth: 'key',
    sessionProof: 'own_page',
    isPassive: true,
    answer: 'events',
    origin: 'additive',
  }),
} as const;
