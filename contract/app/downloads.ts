// The caller's download log for the screen: filtered pages, figures, export.
import { z } from 'zod';
import { derived, fieldsOf, named, wire } from '../codec.ts';
import { download } from '../downloads.ts';
import { appCall, define } from '../endpoint.ts';
import { knownNames, listAnswer, pageFields, sortBy } from '../lists.ts';
import { humanSize } from '../sizes.ts';
import { date, digits, fileName, id, otherwise, refusal } from '../wire.ts';

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}

export const zone = named(
  'timeZone',
  otherwise(
    z
      .string()
      .max(60)
      .refine(isTimeZone, refusal('log.bad_zone', 'There is no such time zone.'))
      .describe('IANA name of the zone in which days begin and end; UTC unless said.'),
    'UTC',
  ),
);

/** Null: all; the word `unknown` is an empty text inside. */
function orUnknown(schema: z.ZodString) {
  return otherwise(
    schema.transform((text) => (text === 'unknown' ? '' : text)),
    null,
  );
}

const filters = {
  from: date.optional().describe('First day.'),
  to: date.optional().describe('Last day; today unless said.'),
  days: otherwise(
    digits(1, 366).describe('Without `from`: this many days up to the last one, at most 366; 30 unless said.'),
    30,
  ),
  zone,
  file: named('attachmentId', otherwise(id.describe('Attachment id.'), null)),
  person: named('recipient', orUnknown(z.string().max(320).trim().toLowerCase())).describe(
    'Address that downloaded, or a part of one; `unknown` for downloads without one.',
  ),
  message: named('messageId', otherwise(id, null)),
  link: named('linkId', otherwise(id, null)),
  country: named('countryCode', orUnknown(z.string().regex(/^([A-Z]{2}|unknown)$/))).describe(
    'Code; `unknown` for downloads without a location.',
  ),
  device: named('platform', orUnknown(z.string().max(60))).describe('One of `devices` of the figures.'),
};

export const appLogQuery = wire({ sort: sortBy(['-downloaded_at', 'downloaded_at']), ...pageFields, ...filters });
export const appLogEntry = wire({
  ...fieldsOf(download),
  source_name: z.string().describe('Subject of the message it came from, or file name of the link.'),
}).meta({ id: 'AppLogEntry' });
export const appLogAnswer = listAnswer(appLogEntry, { names: knownNames });

export const appLogFiguresQuery = wire(filters);
const count = z.int().min(0);
export const appLogFigures = wire({
  from: named('firstDay', date),
  to: named('lastDay', date),
  downloads: count,
  bytes: count,
  bytes_human: derived(z.string(), ({ bytes }: { bytes: number }) => humanSize(bytes)),
  people: count.describe('Different known addresses, up to 100,000.'),
  countries: count,
  without_location: count,
  has_locations: z.boolean().describe('false: this installation does not look locations up.'),
  per_day: z
    .array(z.object({ date, downloads: count, bytes: count }))
    .describe('Days of the zone with downloads, oldest first.'),
  per_country: z
    .array(
      wire({
        country_code: z.string(),
        country_name: z.string(),
        downloads: count,
        latitude: z.number().nullable().describe('Middle of its downloads.'),
        longitude: z.number().nullable(),
      }),
    )
    .describe('Most first, without unknown ones.'),
  top_files: z
    .array(wire({ attachment_id: id, filename: fileName, downloads: count, bytes: count }))
    .describe('Ten, most downloaded first.'),
  devices: z.array(z.object({ device: z.string(), downloads: count })).describe('Most first.'),
}).meta({ id: 'AppLogFigures' });
export const appLogFiguresAnswer = z.object({ figures: appLogFigures });

export const appLogExportQuery = wire({ ...filters, format: z.enum(['csv', 'json']) });

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
    // A link on our own page, with which browsers send no header.
    sessionProof: 'own_page',
    answer: 'file',
  }),
} as const;
