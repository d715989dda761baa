// People as the console lists them: found by words and filters, a page at a time.
import { z } from 'zod';
import { adminCall, define } from '../endpoint.ts';
import { role } from '../roles.ts';
import { instant } from '../wire.ts';
import { cursorAnswer, cursorQuery } from './lists.ts';

export const person = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    group: z.object({ id: z.string(), name: z.string() }),
    is_local: z.boolean(),
    role,
    state: z
      .enum(['active', 'invited', 'disabled'])
      .describe('`invited`: has no password yet and has never signed in.'),
    second_step: z.boolean().describe('An authenticator app is asked for at sign-in.'),
    storage_used: z.int().describe('Bytes.'),
    last_seen_at: instant.nullable().describe('Signed in or called the API; null: never.'),
    created_at: instant,
  })
  .meta({ id: 'Person' });

export const peopleSorts = ['email', '-email', 'name', '-name', '-seen', 'seen', '-storage', 'storage'] as const;

export const peopleQuery = cursorQuery(peopleSorts).extend({
  role: role.optional(),
  group: z.string().max(100).optional().describe('Id of a group.'),
  state: person.shape.state.optional(),
  seen: z
    .enum(['never', '30', '90', '180', '365'])
    .optional()
    .describe('`never`: has never signed in. A number: seen, but not for that many days.'),
});

export const peopleAnswer = cursorAnswer(person).extend({
  counts: z
    .object({
      all: z.int(),
      disabled: z.int(),
      never: z.int().describe('Have never signed in.'),
      inactive: z.int().describe('Not seen for 90 days.'),
    })
    .describe('Everybody the caller may manage, whatever the filters.'),
});

export type PersonBody = z.input<typeof person>;

export const userListEndpoints = {
  listPeople: define({
    ...adminCall,
    right: 'people.manage',
    shows: 'people',
    method: 'GET',
    path: '/admin/people',
    summary: 'Find people by words and filters, a page at a time',
    query: peopleQuery,
    answer: peopleAnswer,
    origin: 'additive',
  }),
} as const;
