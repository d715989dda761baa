// People in the console: search, filters, pages.
import { z } from 'zod';
import { derived, fieldsOf, named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { cursorFields, nextPage, sortBy } from '../lists.ts';
import { role } from '../roles.ts';
import { instantMs, otherwise } from '../wire.ts';

export const person = wire({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  group: derived(z.object({ id: z.string(), name: z.string() }), (of: { groupId: string; groupName: string }) => ({
    id: of.groupId,
    name: of.groupName,
  })),
  is_local: z.boolean(),
  role,
  state: z.enum(['active', 'invited', 'disabled']).describe('`invited`: has no password yet and has never signed in.'),
  second_step: derived(
    z.boolean().describe('Sign-in requires an authenticator app.'),
    ({ totpState }: { totpState: 'on' | 'off' }) => totpState === 'on',
  ),
  storage_used: named('storedBytes', z.int().describe('Bytes.')),
  last_seen_at: instantMs.nullable().describe('Signed in or called the API; null: never.'),
  created_at: instantMs,
}).meta({ id: 'Person' });

const seen = z
  .enum(['never', '30', '90', '180', '365'])
  .transform((word) => (word === 'never' ? word : Number(word)))
  .describe('`never`: has never signed in. A number: seen, but not for that many days.');

/** Selects people for a list or a change to many. */
export const peopleFilters = {
  role: otherwise(role, null),
  group: named('groupId', otherwise(z.string().max(100).describe('Id of a group.'), null)),
  state: otherwise(fieldsOf(person).state, null),
  seen: otherwise(seen, null),
};

export const peopleQuery = wire({
  q: otherwise(z.string().max(200).describe('Words to look for.'), ''),
  sort: sortBy(['email', '-email', 'name', '-name', '-seen', 'seen', '-storage', 'storage']),
  ...cursorFields(1000),
  ...peopleFilters,
});

export const peopleAnswer = wire({
  items: z.array(person),
  total: z.int().min(0).describe('Items on all pages together.'),
  next: nextPage,
  counts: z
    .object({
      all: z.int(),
      disabled: z.int(),
      never: z.int().describe('Have never signed in.'),
      inactive: z.int().describe('Not seen for 90 days.'),
    })
    .describe('All people whom the caller may manage, independent of the filters.'),
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
