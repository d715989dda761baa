// Search in the console.
import { z } from 'zod';
import { wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { transfer } from './transfers.ts';

export const consoleSearchQuery = z.object({
  q: z.string().min(1).max(200).describe('Words, an address, a domain, or the reference of a transfer.'),
});

export const consoleSearchAnswer = wire({
  people: z
    .array(wire({ id: z.string(), email: z.string(), name: z.string(), group_name: z.string() }))
    .describe('Empty for auditors.'),
  groups: z.array(wire({ id: z.string(), name: z.string() })),
  transfers: z.array(transfer),
});

export const consoleSearchEndpoints = {
  searchConsole: define({
    ...adminCall,
    right: 'console.read',
    shows: 'search',
    method: 'GET',
    path: '/admin/search',
    summary: 'People, groups and transfers within the caller’s reach',
    query: consoleSearchQuery,
    answer: consoleSearchAnswer,
    origin: 'additive',
  }),
} as const;
