// One field that looks through everything of the caller (experience S13).
import { z } from 'zod';
import { appCall, define } from '../endpoint.ts';
import { id, instant } from '../wire.ts';
import { appContact } from './contacts.ts';
import { appLinkState } from './file-links.ts';
import { appRequestState } from './file-requests.ts';
import { knownNames } from './lists.ts';

export const searchQuery = z.object({
  q: z.string().min(1).max(200).describe('Words, an address, or the id of a message.'),
});

export const searchAnswer = z.object({
  messages: z.array(
    z.object({
      id,
      direction: z.enum(['sent', 'received']),
      subject: z.string(),
      people: z.array(z.string()).describe('To whom, or from whom; at most three.'),
      people_total: z.int().min(0),
      created_at: instant,
      state: z.enum(['active', 'expired', 'stopped']),
    }),
  ),
  links: z.array(z.object({ id, filename: z.string(), created_at: instant, state: appLinkState })),
  requests: z.array(
    z.object({ id, recipient: z.string(), subject: z.string(), created_at: instant, state: appRequestState }),
  ),
  files: z.array(
    z.object({
      id,
      filename: z.string(),
      size: z.int().min(0),
      size_human: z.string(),
      created_at: instant,
      used_in: z
        .object({ kind: z.enum(['message', 'link']), id, title: z.string() })
        .nullable()
        .describe('The newest message or link that holds it.'),
    }),
  ),
  people: z.array(appContact),
  names: knownNames.describe('By address: names of the people of messages and requests, as far as one is known.'),
  is_complete: z.boolean().describe('false: only the newest entries of each kind were looked through.'),
});

export const appSearchEndpoints = {
  search: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/search',
    summary: 'Messages, links, requests, files and people',
    query: searchQuery,
    answer: searchAnswer,
  }),
} as const;
