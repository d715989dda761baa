// Live news for open screens: server-sent events that name topics, never what changed. A screen reads again what it read
// about a topic. Additive.
import { z } from 'zod';
import { appCall, define } from '../endpoint.ts';

/** What the app reads again together. The server's events and the app's own changes name the same topics. */
export const topic = z.enum([
  'me',
  'account',
  'admin',
  'messages',
  'received',
  'links',
  'requests',
  'drop',
  'downloads',
]);

/** The data of one event. `everything`: too much happened since the `Last-Event-ID` to name it. */
export const liveEvent = z.object({ topics: z.array(z.union([topic, z.literal('everything')])) });

export type Topic = z.input<typeof topic>;
export type LiveEventBody = z.input<typeof liveEvent>;

export const appLiveEndpoints = {
  followEvents: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/events',
    summary: "Server-sent events: which of the caller's things changed. `Last-Event-ID` resumes",
    sessionProof: 'own_page',
    isPassive: true,
    answer: 'events',
  }),
} as const;
