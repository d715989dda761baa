// One person in the console, and actions on the account.
import { z } from 'zod';
import { appApiKey, appSession } from '../app/security.ts';
import { derived, fieldsOf, named, unrenamed, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { flag, instantMs, optional, optionalOr } from '../wire.ts';
import { person } from './user-lists.ts';

const personApiKey = wire(
  z.object(fieldsOf(appApiKey)).omit({ is_current: true, read_by: true, read_at: true }).shape,
).meta({ id: 'PersonApiKey' });

export const personDetail = wire({
  ...fieldsOf(person),
  addresses: z.array(
    wire({
      address: z.string(),
      is_own: z.boolean().describe('The address they sign in with.'),
      is_sender: z.boolean(),
      is_recipient: z.boolean(),
      is_confirmed: z.boolean().describe('false: opens and sends nothing until a mailed code proves it.'),
    }),
  ),
  storage_quota: z.int().nullable().describe('Bytes; null: no limit.'),
  has_password: z.boolean(),
  group_reason: z
    .object({
      why: z
        .enum(['chosen', 'default', 'moved', 'setup', 'unknown'])
        .describe(
          '`chosen`: given when the account was made. `default`: nothing was chosen then. `moved`: put there later. `setup`: the first administrator.',
        ),
      at: instantMs.nullable(),
      by: z.string().describe('Name or address; empty when it was no account.'),
    })
    .describe('Why this person is in this group.'),
  guard: z
    .enum(['self', 'last_administrator'])
    .nullable()
    .describe('Why the account cannot be switched off, moved to another role or deleted; null: it can.'),
  sessions: z.array(appSession),
  api_keys: z.array(personApiKey),
  has_client_key: z.boolean().describe('A key that encrypts what clients keep on this person’s machines.'),
  may_read_key: z.boolean().describe('Whether keys can be looked up here (WAYBILL_API_KEY_READBACK).'),
}).meta({ id: 'PersonDetail' });

export const personAnswer = z.object({ person: personDetail });

const reason = z.string().max(2000).describe('Why; it is in the event and in the mail to the person.');

const erased = z.object({
  messages: z.int(),
  links: z.int(),
  requests: z.int(),
  files: z.int(),
  bytes: z.int(),
});
const kept = z.enum(['log', 'received', 'downloads', 'mails']);

export const erasurePlan = wire({
  erased: derived(erased, (plan: z.output<typeof erased>) => plan),
  kept: derived(
    z
      .array(kept)
      .describe(
        'Without name, address and id of the person. `log`: lines of the audit log. `received`: what others sent to them belongs to the senders. `downloads`: entries in the logs of other people. `mails`: those that were handed over already.',
      ),
    () => [...kept.options],
  ),
}).meta({ id: 'ErasurePlan' });

type Row = Record<string, string | number | boolean | null>;
const exportedRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

/** Instants are milliseconds inside, and large numbers may be texts. */
function writeRow(row: Row): z.output<typeof exportedRow> {
  const shown = Object.entries(row).map(([name, value]) => {
    if (!/_at$/.test(name))
      return [name, /^(?:size|count|number|request|first_byte|last_byte)$/.test(name) ? Number(value) : value];
    return [name, value === null ? null : new Date(Number(value)).toISOString()];
  });
  return Object.fromEntries(shown);
}
const exportedRows = z.codec(z.array(exportedRow), z.array(z.custom<Row>()), {
  decode: (rows): Row[] => rows,
  encode: (rows) => rows.map(writeRow),
});

export const personExport = wire({
  made_at: instantMs,
  person: personDetail,
  ...unrenamed({
    messages_sent: exportedRows,
    messages_received: exportedRows,
    deliveries: exportedRows.describe('What others handed in: answers to requests, and drop pages.'),
    files: exportedRows,
    links: exportedRows,
    requests: exportedRows.describe('By them and to them.'),
    downloads: exportedRows,
    download_requests: exportedRows.describe('Requests for bytes of these downloads; `size` is what was handed over.'),
    visits: exportedRows,
    mails: exportedRows,
    passkeys: exportedRows.describe('Of the account, and of its addresses without an account.'),
    contacts: exportedRows,
    events: exportedRows,
  }),
  truncated: z.array(z.string()).describe('Lists that are cut here and complete in the database.'),
  left_out: z.int().describe('Transfers to them of people whom the caller does not manage.'),
}).meta({ id: 'PersonExport' });

export const erasureAnswer = z.object({ erasure: erasurePlan });

export const importRow = z.object({
  line: z.int().min(1).describe('Line of the file, for the answer.'),
  email: z.string().max(1000).trim(),
  name: optionalOr(z.string().max(1000), ''),
  group: optionalOr(z.string().max(400).trim(), '').describe('Id or name of a group.'),
});

export const importOutcome = z
  .object({
    line: z.int(),
    email: z.string(),
    outcome: z.enum(['created', 'would_create', 'refused']),
    code: z.string().nullable(),
    field: z.string().nullable(),
    sentence: z.string().nullable().describe('Why it was refused, in the language of the caller.'),
  })
  .meta({ id: 'ImportOutcome' });

export type PersonDetailBody = z.input<typeof personDetail>;
export type ErasurePlanBody = z.input<typeof erasurePlan>;
export type ImportOutcomeBody = z.input<typeof importOutcome>;

const call = { ...adminCall, right: 'people.manage', origin: 'additive' } as const;

export const userActionEndpoints = {
  getPerson: define({
    ...call,
    method: 'GET',
    path: '/admin/people/:id',
    summary:
      'One person: addresses, group and why, sessions, keys without their secrets, and what protects the account',
    answer: personAnswer,
  }),
  endPersonSession: define({
    ...call,
    method: 'DELETE',
    path: '/admin/people/:id/sessions/:session',
    summary: 'End one browser session of a person',
    answer: 'empty',
  }),
  endPersonSessions: define({
    ...call,
    method: 'DELETE',
    path: '/admin/people/:id/sessions',
    summary: 'Sign a person out of every browser',
    answer: 'empty',
  }),
  resetSecondStep: define({
    ...call,
    method: 'POST',
    path: '/admin/people/:id/second_step_reset',
    summary: 'Remove the second step at sign-in, with a reason; the person is notified',
    body: z.object({ reset: z.object({ reason }) }),
    answer: 'empty',
  }),
  readPersonKey: define({
    ...call,
    method: 'POST',
    path: '/admin/people/:id/api_key',
    summary: 'Read the API key of a person, with a reason; the person is notified',
    body: wire({ api_key: z.object({ reason }) }),
    answer: wire({ api_key: z.object({ key: z.string() }) }),
  }),
  renewClientKey: define({
    ...call,
    method: 'POST',
    path: '/admin/people/:id/client_key',
    summary:
      'Renew the key that encrypts data of clients on a person’s machines, with a reason; the person is notified',
    body: wire({ client_key: z.object({ reason }) }),
    answer: 'empty',
  }),
  invitePerson: define({
    ...call,
    method: 'POST',
    path: '/admin/people/:id/invitation',
    summary: 'Mail another invitation to a person who has no password yet; the previous link stops working',
    answer: 'empty',
  }),
  planErasure: define({
    ...call,
    method: 'GET',
    path: '/admin/people/:id/erasure',
    summary: 'What erasing a person would erase and what would be kept; nothing is done',
    answer: erasureAnswer,
  }),
  exportPerson: define({
    ...call,
    method: 'GET',
    path: '/admin/people/:id/export',
    sessionProof: 'own_page',
    summary: 'What is stored about a person, without texts, names of files and secrets; at most 10,000 entries a list',
    answer: z.object({ export: personExport }),
  }),
  erasePerson: define({
    ...call,
    method: 'POST',
    path: '/admin/people/:id/erasure',
    summary:
      'Erase a person: account, files, texts, mails, and every name, address and id of theirs (docs/trust/erasure.md)',
    body: z.object({
      erasure: z.object({
        email: z.string().max(400).describe('The person’s address again, to prevent accidents.'),
        reason,
      }),
    }),
    answer: erasureAnswer,
  }),
  importPeople: define({
    ...call,
    method: 'POST',
    path: '/admin/people/import',
    summary: 'Add up to 100 people; the answer has one outcome for each line, and one bad line stops no other',
    body: z.object({
      import: wire({
        people: named('lines', z.array(importRow).min(1).max(100)),
        group: named('groupId', optional(z.string().max(100))).describe(
          'Id of the group of lines that name none. Default: local-users.',
        ),
        invite: named('isInvited', optionalOr(flag, false)).describe('Mails each of them a link to choose a password.'),
        dry_run: named('isDryRun', optionalOr(flag, false)).describe('Checks every line and creates no one.'),
      }),
    }),
    answer: z.object({ import: z.object({ outcomes: z.array(importOutcome) }) }),
  }),
} as const;
