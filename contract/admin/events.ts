// The event log, for administrators and auditors.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { cursorFields, nextPage } from '../lists.ts';
import { date, digits, instantMs } from '../wire.ts';

const person = z
  .object({
    id: z.string(),
    email: z.string().describe('Empty for a person whom the caller may not manage.'),
    name: z.string(),
  })
  .nullable();

export const event = wire({
  id: named('seq', z.int().describe('Grows with each event.')),
  at: instantMs,
  action: z.string().describe('Its kind, such as `message.sent`.'),
  actor_kind: z.string().describe('`user`, `anonymous` or `system`.'),
  actor: person.describe('null: no account.'),
  owner: person.describe('Whose thing it was done to; null for the installation’s own.'),
  object_kind: z.string(),
  object_id: z.string().describe('Reference of a transfer; id of anything else.'),
  changes: z
    .array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() }))
    .describe('Values before and after; `field` is empty where there is one only.'),
  facts: z.record(z.string(), z.unknown()).describe('Everything that is kept with it.'),
  remote_ip: z.string(),
  request_id: z.string(),
}).meta({ id: 'Event' });

const text = z.string().max(400).optional();
const filters = {
  person: text.describe('Id or e-mail address: who did it, or whose it is.'),
  action: text.describe('A kind of event, or the part before its dot, such as `message`.'),
  object: text.describe('Reference or id of what it was done to, or an address with an id in it.'),
  from: date.optional().describe('First day.'),
  to: date.optional().describe('Last day.'),
  days: digits(1, 9999).optional().describe('Without `from`: this many days up to now.'),
};

const paged = cursorFields();
export const eventsQuery = z.object({
  ...filters,
  size: paged.size,
  after: paged.after.describe(
    '`next` of the page before; the newest events when left out. A number, at first `0`: events oldest first, none left out; continue with `next`, which is never null then.',
  ),
  limit: digits(1, 1000).optional().describe('Events in an answer, oldest first; 100 when left out.'),
});
export const eventsExportQuery = z.object(filters);
export const eventsAnswer = z.object({ events: z.array(event), next: nextPage });

export type EventBody = z.input<typeof event>;

export const eventEndpoints = {
  listEvents: define({
    ...adminCall,
    right: 'console.read',
    shows: 'events',
    method: 'GET',
    path: '/admin/events',
    summary: 'What happened, newest first, with values before and after; oldest first with a number in `after`',
    query: eventsQuery,
    answer: eventsAnswer,
    origin: 'additive',
  }),
  exportEvents: define({
    ...adminCall,
    right: 'console.read',
    shows: 'events',
    method: 'GET',
    path: '/admin/events/export',
    summary: 'The same as a CSV file',
    query: eventsExportQuery,
    // A link on our own page, with which browsers send no header.
    sessionProof: 'own_page',
    answer: 'file',
    origin: 'additive',
  }),
} as const;
