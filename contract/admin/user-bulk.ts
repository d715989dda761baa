// Changes to many people, with a dry run; deleting a person whose transfers go to another.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { flag, optional, optionalOr } from '../wire.ts';
import { task, taskRefusal } from './tasks.ts';
import { peopleFilters, person } from './user-lists.ts';

const reason = optionalOr(z.string().max(2000), '').describe('Kept in the event.');
const nobodyInParticular = { q: '', role: null, groupId: null, state: null, seen: null };

export const bulkPeopleInput = z.object({
  bulk: wire({
    action: z.enum(['move', 'suspend', 'reactivate']),
    people: named('ids', optionalOr(z.array(z.string().max(400)).min(1).max(500), null)).describe(
      'Ids; of these only.',
    ),
    filter: named(
      'wishes',
      optionalOr(wire({ q: optionalOr(z.string().max(200), ''), ...peopleFilters }), nobodyInParticular),
    ).describe('As in the list. Without `people` it must have at least one condition.'),
    group: named('groupId', optionalOr(z.string().max(100), '')).describe('Id of the group that people are moved to.'),
    reason,
    dry_run: optional(flag).describe('Lists who would be changed, and changes nothing.'),
  }),
});

export const bulkPeopleAnswer = z.object({
  bulk: wire({
    dry_run: z.boolean(),
    count: z.int().describe('How many change; who is so already is not counted.'),
    sample: z.array(person).describe('The first 50 of a dry run.'),
    refused: z.array(taskRefusal).describe('Of a dry run: whom it leaves as they are, and why.'),
    task: task.nullable().describe('null for a dry run.'),
  }),
});

const call = { ...adminCall, right: 'people.manage', origin: 'additive' } as const;

export const userBulkEndpoints = {
  bulkPeople: define({
    ...call,
    method: 'POST',
    path: '/admin/people/bulk',
    summary: 'Move, suspend or reactivate many people; with a dry run first',
    body: bulkPeopleInput,
    answer: bulkPeopleAnswer,
  }),
  deletePerson: define({
    ...call,
    method: 'POST',
    path: '/admin/people/:id/deletion',
    summary: 'Disable an account immediately, hand its transfers over to another person, then delete it',
    body: z.object({
      deletion: z.object({
        email: z.string().max(400).describe('The person’s address again, to prevent accidents.'),
        to: z
          .string()
          .max(400)
          .describe('Id or e-mail address of the person who gets their transfers, and is notified.'),
        reason,
      }),
    }),
    answer: z.object({ task }),
  }),
} as const;
