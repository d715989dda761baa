// Search over all transfers of the caller.
import { z } from 'zod';
import { derived, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { knownNames } from '../lists.ts';
import { fileName, id, instantMs, sizeBytes, sizeHuman } from '../wire.ts';
import { appContact } from './contacts.ts';
import { appLinkState } from './file-links.ts';
import { appRequestState } from './file-requests.ts';

export const searchQuery = z.object({
  q: z.string().min(1).max(200).describe('Words, an address, or the id of a message.'),
});

const fileUse = z.object({ kind: z.enum(['message', 'link']), id, title: z.string() });

export const searchAnswer = wire({
  messages: z.array(
    wire({
      id,
      direction: z.enum(['sent', 'received']),
      subject: z.string(),
      people: z.array(z.string()).describe('To whom, or from whom; at most three.'),
      people_total: z.int().min(0),
      created_at: instantMs,
      state: z.enum(['active', 'expired', 'stopped']),
    }),
  ),
  links: z.array(wire({ id, filename: fileName, created_at: instantMs, state: appLinkState })),
  requests: z.array(
    wire({ id, recipient: z.string(), subject: z.string(), created_at: instantMs, state: appRequestState }),
  ),
  files: z.array(
    wire({
      id,
      filename: fileName,
      size: sizeBytes,
      size_human: sizeHuman,
      created_at: instantMs,
      used_in: derived(
        fileUse.nullable().describe('The newest message or link that holds it.'),
        ({ uses }: { uses: z.output<typeof fileUse>[] }) => uses[0] ?? null,
      ),
    }),
  ),
  people: z.array(appContact),
  help: z
    .array(z.object({ title: z.string(), section: z.string(), url: z.string() }))
    .describe('Headings of the API documentation, if it is switched on.'),
  names: knownNames.describe('By address: names of the people of messages and requests, as far as one is known.'),
  is_complete: z.boolean().describe('false: only the newest entries of each kind were looked through.'),
});

export const appSearchEndpoints = {
  search: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/search',
    summary: 'Messages, links, requests, files, people and help',
    query: searchQuery,
    answer: searchAnswer,
  }),
} as const;
