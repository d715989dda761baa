// Live updates for open screens: server-sent events that name topics, never contents. A screen reads again what it shows
// about a topic. Additive.
import { z } from 'zod';
import { appCall, define } from '../endpoint.ts';

/** Topics of events on the server and of changes in the app. */
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
