// Signed statements: what ended when a person left, and what an exposed key or address could reach.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { requestLists } from '../download-requests.ts';
import { adminCall, define } from '../endpoint.ts';
import { cursorFields, nextPage } from '../lists.ts';
import { id, instant, instantMs, optional } from '../wire.ts';

const person = z.object({ id: z.string(), email: z.string(), name: z.string() });
const transferKind = z.enum(['message', 'answer', 'drop', 'link', 'request']);

const transferName = z.string().describe('Reference of the transfer.');

const transferCounts = z.object({
  messages: z.int(),
  links: z.int(),
  requests: z.int(),
  deliveries: z.int().describe('Handed in to them: to a File Request or through their drop page.'),
  bytes: z.int(),
  transfers: z
    .array(z.object({ id: transferName, kind: transferKind, size: z.int() }))
    .describe('The first 1,000; the counts are of all.'),
});

export const leaveFindings = z
  .object({
    hand_over_to: person.nullable(),
    reason: z.string(),
    ended: z.object({
      api_keys: z.int(),
      sessions: z.int(),
      password_links: z.int().describe('Invitations and links for a new password.'),
      proven_browsers: z.int().describe('Browsers in which one of their addresses was proven.'),
      drop_page: z.boolean(),
      drop_keys: z.int(),
      uploads: z.int().describe('Unfinished ones; what is stored of them is deleted.'),
      downloads: z.int().describe('Those that were running; they are cut within seconds.'),
    }),
    handed_over: transferCounts,
    stopped: transferCounts,
    kept_deliveries: z
      .int()
      .describe('Received by the person and not handed over: stored until they expire, and closed to all.'),
  })
  .meta({ id: 'LeaveFindings' });

const reachableTransfer = z.object({
  id: transferName,
  kind: transferKind,
  way: z.enum(['own', 'received', 'asked', 'touched']),
  owner: z.string().describe('Id of the account it belongs to.'),
  address: z.string().describe('The address that it came to; empty unless received or asked.'),
  from: instant,
  until: instant,
  files: z.int(),
  size: z.int(),
  open_now: z.boolean(),
});

const departure = z.object({
  kind: z.enum(['message', 'link']),
  id: transferName,
  owner: z.string(),
  number: z.int().describe('Of the line in the download log of its owner.'),
  attachment: z.string(),
  sha256: z.string(),
  size: z.int(),
  bytes: z.int().describe('Distinct bytes of the file handed to the network by these requests.'),
  to: z.string().describe('Proven address; empty when unknown.'),
  by_owner: z.boolean(),
  ip: z.string(),
  at: instant.describe('When the first of these requests began.'),
  ended_at: instant.nullable().describe('When the last of them ended; null while one runs.'),
  ...z.object(requestLists).partial().shape,
});

export const exposureFindings = z
  .object({
    from: instant,
    to: instant,
    reachable: z.object({
      transfers: z.int(),
      files: z.int().describe('Different files.'),
      bytes: z.int().describe('Of these files, each counted once.'),
      list: z.array(reachableTransfer).describe('The first 1,000.'),
    }),
    left: z.object({
      downloads: z.int(),
      files: z.int().describe('Different files.'),
      bytes: z.int().describe('Distinct bytes, per download.'),
      total: z.int().optional().describe('Repeated bytes too. Missing in older statements.'),
      to: z.array(z.object({ address: z.string(), ip: z.string(), downloads: z.int(), bytes: z.int() })),
      list: z.array(departure).describe('The first 1,000.'),
    }),
    left_out: z
      .object({ transfers: z.int(), downloads: z.int() })
      .optional()
      .describe('Of people whom the maker of the statement does not manage. Missing in older statements.'),
    accounts: z
      .array(person.extend({ events: z.int() }))
      .describe('For a network address: whose accounts acted from there.'),
    closed: z.object({
      transfers: z.int().describe('Of those that were reachable: how many are closed now.'),
      open: z.int().describe('How many are still open.'),
      account: z
        .object({ state: z.enum(['active', 'disabled', 'deleted']), api_keys: z.int(), sessions: z.int() })
        .nullable()
        .describe('The account as it is now; null where there is none.'),
      api_key: z.enum(['active', 'ended']).nullable(),
    }),
  })
  .meta({ id: 'ExposureFindings' });

const common = {
  format: z.literal('waybill-statement/1'),
  id,
  organisation: z.string(),
  service: z.string(),
  made_at: instant,
  made_by: person,
};

const apiKeyOfPerson = z.object({ id: z.string(), prefix: z.string(), name: z.string() });

export const leaveStatement = z
  .object({ ...common, kind: z.literal('leave'), about: z.object({ user: person }), findings: leaveFindings })
  .meta({ id: 'LeaveStatement' });
export const exposureStatement = z
  .object({
    ...common,
    kind: z.literal('exposure'),
    about: z.object({
      user: person.optional(),
      api_key: apiKeyOfPerson.optional(),
      address: z.string().optional(),
      ip: z.string().optional(),
    }),
    findings: exposureFindings,
  })
  .meta({ id: 'ExposureStatement' });

const note = z
  .string()
  .describe('Signed note over the statement: its kind, its id, and the SHA-256 of its JSON without spaces.');

export const statementHead = wire({
  id,
  kind: z.enum(['leave', 'exposure']),
  about: z.string().describe('Address of the person, the address, the network address, or the key.'),
  made_at: named('createdAt', instantMs),
  made_by: z.string(),
}).meta({ id: 'StatementHead' });

export type StatementHeadBody = z.input<typeof statementHead>;
export type LeaveStatementBody = z.input<typeof leaveStatement>;
export type ExposureStatementBody = z.input<typeof exposureStatement>;

const instantOrDate = z.string().max(100);
export const exposureInput = z.object({
  exposure: wire({
    user: optional(z.string().max(400)).describe('Id or e-mail address of an account.'),
    api_key: optional(z.string().max(400)).describe('Id of an API key, or the key itself.'),
    address: optional(z.string().max(400)).describe('Any e-mail address.'),
    ip: optional(z.string().max(100)).describe('A network address.'),
    from: instantOrDate.describe('An instant, or a date: its beginning.'),
    to: instantOrDate.describe('An instant, not included; or a date: its end.'),
  }),
});

const statementsQuery = z.object(cursorFields());
const statementQuery = z.object({ format: z.enum(['json', 'pdf']).optional() });

export const statementEndpoints = {
  leaveUser: define({
    ...adminCall,
    right: 'people.manage',
    method: 'POST',
    path: '/admin/users/:id/leave',
    summary:
      'Close the account of a person who leaves: end keys, sessions, drop page and running transfers, hand over or end what they shared, and return a statement of it. Repeating the call returns the same statement',
    body: z.object({
      leave: wire({
        hand_over_to: z
          .string()
          .max(400)
          .nullable()
          .describe('Id or e-mail address of the colleague who gets what they shared; null ends it.'),
        reason: z.string().max(2000),
      }),
    }),
    answer: z.object({ statement: leaveStatement, note }),
    origin: 'additive',
  }),
  stateExposure: define({
    ...adminCall,
    right: 'people.manage',
    method: 'POST',
    path: '/admin/statements/exposure',
    summary: 'What an account, a key, an address or a network could reach in a span of time, what left, what is closed',
    body: exposureInput,
    answer: z.object({ statement: exposureStatement, note }),
    origin: 'additive',
  }),
  listStatements: define({
    ...adminCall,
    right: 'console.read',
    shows: 'statements',
    method: 'GET',
    path: '/admin/statements',
    summary: 'Statements that were made, newest first',
    query: statementsQuery,
    answer: z.object({ statements: z.array(statementHead), next: nextPage }),
    origin: 'additive',
  }),
  getStatement: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/statements/:id',
    sessionProof: 'own_page',
    summary: 'One statement as it was signed; with `format=pdf` as a PDF that has the JSON inside',
    query: statementQuery,
    answer: z.object({ statement: z.discriminatedUnion('kind', [leaveStatement, exposureStatement]), note }),
    origin: 'additive',
  }),
} as const;
