// The download log of all people, for administrators and auditors. It never has
// file names or subjects.
import { z } from 'zod';
import { derived, named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { cursorFields, nextPage } from '../lists.ts';
import { date, digits, instantMs } from '../wire.ts';

const text = z.string().max(400).optional();
const filters = {
  person: text.describe('Id or e-mail address of the owner.'),
  recipient: text.describe('Who downloaded: an address, or a part of one; `unknown` for downloads without one.'),
  object: text.describe('Reference or id of the message or link, or an address with an id in it.'),
  country: z
    .string()
    .regex(/^([A-Z]{2}|unknown)$/)
    .optional()
    .describe('Code; `unknown` for downloads without a location.'),
  from: date.optional().describe('First day.'),
  to: date.optional().describe('Last day; today unless said.'),
  days: digits(1, 366)
    .optional()
    .describe('Without `from`: this many days up to the last one, at most 366; 30 unless said.'),
};

const person = z.object({ id: z.string(), name: z.string(), email: z.string() });

const outcomes = {
  granted: 'running',
  complete: 'complete',
  partial: 'partial',
  cut: 'partial',
  refunded: 'partial',
} as const;

interface Target {
  object: { kind: 'message' | 'link'; reference: string };
}

export const loggedDownload = wire({
  id: derived(z.string(), ({ ownerId, number }: { ownerId: string; number: number }) => `${ownerId}.${number}`),
  at: named('grantedAt', instantMs),
  owner: person,
  recipient: z.string().describe('Empty when not known.'),
  object_kind: derived(z.enum(['message', 'link']), ({ object }: Target) => object.kind),
  object_id: derived(
    z.string().describe('Reference of the message or link.'),
    ({ object }: Target) => object.reference,
  ),
  attachment_id: z.string(),
  outcome: derived(
    z.enum(['running', 'complete', 'partial']),
    ({ outcome }: { outcome: keyof typeof outcomes }) => outcomes[outcome],
  ),
  bytes: named('sentBytes', z.int().describe('Taken by the network so far.')),
  remote_ip: z.string(),
  country_code: z.string(),
  country_name: z.string(),
  city: z.string(),
  browser: z.string(),
  os: z.string(),
}).meta({ id: 'LoggedDownload' });

export const downloadsQuery = z.object({ ...filters, ...cursorFields() });
export const downloadFiltersQuery = z.object(filters);
export const downloadsAnswer = z.object({ downloads: z.array(loggedDownload), next: nextPage });

const count = z.int().min(0);
export const downloadFigures = wire({
  from: named('firstDay', date),
  to: named('lastDay', date),
  downloads: count,
  bytes: count,
  recipients: count.describe('Different known addresses, up to 100,000.'),
  days: z.array(z.object({ date, downloads: count, bytes: count })).describe('Every day of the time, oldest first.'),
  countries: z
    .array(wire({ country_code: z.string(), downloads: count }))
    .describe('Most first; empty code: not known.'),
  owners: z.array(person.extend({ downloads: count, bytes: count })).describe('The ten with the most downloads.'),
}).meta({ id: 'DownloadFigures' });

export type LoggedDownloadBody = z.input<typeof loggedDownload>;
export type DownloadFiguresBody = z.input<typeof downloadFigures>;

export const downloadLogEndpoints = {
  listDownloadLog: define({
    ...adminCall,
    right: 'console.read',
    shows: 'downloads',
    method: 'GET',
    path: '/admin/downloads',
    summary: 'Downloads of all files, newest first, without file names',
    query: downloadsQuery,
    answer: downloadsAnswer,
    origin: 'additive',
  }),
  getDownloadFigures: define({
    ...adminCall,
    right: 'console.read',
    shows: 'downloads',
    method: 'GET',
    path: '/admin/downloads/figures',
    summary: 'Sums over the same downloads',
    query: downloadFiltersQuery,
    answer: z.object({ figures: downloadFigures }),
    origin: 'additive',
  }),
  exportDownloadLog: define({
    ...adminCall,
    right: 'console.read',
    shows: 'downloads',
    method: 'GET',
    path: '/admin/downloads/export',
    summary: 'The same downloads as a CSV file',
    query: downloadFiltersQuery,
    // A link on our own page, with which browsers send no header.
    sessionProof: 'own_page',
    answer: 'file',
    origin: 'additive',
  }),
} as const;
