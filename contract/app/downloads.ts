// The caller's download log for the screen: filtered pages, figures, export.
import { z } from 'zod';
import { download } from '../downloads.ts';
import { appCall, define } from '../endpoint.ts';
import { date, id } from '../wire.ts';
import { knownNames, listAnswer, listQuery } from './lists.ts';

export const zone = z
  .string()
  .max(60)
  .optional()
  .describe('IANA name of the zone in which days begin and end; UTC unless said.');

const filters = {
  from: date.optional().describe('First day.'),
  to: date.optional().describe('Last day; today unless said.'),
  days: z
    .string()
    .regex(/^([1-9]\d?|[12]\d\d|3[0-5]\d|36[0-6])$/)
    .transform(Number)
    .optional()
    .describe('Without `from`: this many days up to the last one, at most 366; 30 unless said.'),
  zone,
  file: id.optional().describe('Attachment id.'),
  person: z
    .string()
    .max(320)
    .optional()
    .describe('Address that downloaded, or a part of one; `unknown` for downloads without one.'),
  message: id.optional(),
  link: id.optional(),
  country: z
    .string()
    .regex(/^([A-Z]{2}|unknown)$/)
    .optional()
    .describe('Code; `unknown` for downloads without a location.'),
  device: z.string().max(60).optional().describe('One of `devices` of the figures.'),
};

export const appLogQuery = listQuery(['-downloaded_at', 'downloaded_at']).omit({ q: true }).extend(filters);
export const appLogEntry = download
  .extend({
    source_name: z.string().describe('Subject of the message it came from, or file name of the link.'),
  })
  .meta({ id: 'AppLogEntry' });
export const appLogAnswer = listAnswer(appLogEntry).extend({ names: knownNames });

export const appLogFiguresQuery = z.object(filters);
const count = z.int().min(0);
export const appLogFigures = z
  .object({
    from: date,
    to: date,
    downloads: count,
    bytes: count,
    bytes_human: z.string(),
    people: count.describe('Different known addresses, up to 100,000.'),
    countries: count,
    without_location: count,
    has_locations: z.boolean().describe('false: this installation does not look locations up.'),
    per_day: z
      .array(z.object({ date, downloads: count, bytes: count }))
      .describe('Days of the zone with downloads, oldest first.'),
    per_country: z
      .array(
        z.object({
          country_code: z.string(),
          country_name: z.string(),
          downloads: count,
          latitude: z.number().nullable().describe('Middle of its downloads.'),
          longitude: z.number().nullable(),
        }),
      )
      .describe('Most first, without unknown ones.'),
    top_files: z
      .array(z.object({ attachment_id: id, filename: z.string(), downloads: count, bytes: count }))
      .describe('Ten, most downloaded first.'),
    devices: z.array(z.object({ device: z.string(), downloads: count })).describe('Most first.'),
  })
  .meta({ id: 'AppLogFigures' });
export const appLogFiguresAnswer = z.object({ figures: appLogFigures });

export const appLogExportQuery = z.object({ ...filters, format: z.enum(['csv', 'json']) });

export type AppLogEntryBody = z.input<typeof appLogEntry>;
export type AppLogFiguresBody = z.input<typeof appLogFigures>;

export const appDownloadEndpoints = {
  listAppLog: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/log',
    summary: "Downloads of the caller's files, filtered",
    query: appLogQuery,
    answer: appLogAnswer,
  }),
  getAppLogFigures: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/log/figures',
    summary: 'Sums over the same downloads',
    query: appLogFiguresQuery,
    answer: appLogFiguresAnswer,
  }),
  exportAppLog: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/log/export',
    summary: 'The same downloads as a file',
    query: appLogExportQuery,
    // A press on a link of our own page: the browser saves the answer and can send no header with it.
    sessionProof: 'own_page',
    answer: 'file',
  }),
} as const;
