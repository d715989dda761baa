// One entry of the download log: all 28 fields of the specification, in its order.
import { z } from 'zod';
import { derived, named, wire } from './codec.ts';
import { define } from './endpoint.ts';
import { fileName, id, instantMs, sha256, sizeBytes } from './wire.ts';

interface Duration {
  durationMs: number;
  sentBytes: number;
}

/** "Remote host followed by the IP address in parentheses"; an unknown host is named by its address (docs/adr/0014). */
function remoteHost({ host, address }: { host: string; address: string }): string {
  return `${host === '' ? address : host} (${address})`;
}

function seconds({ durationMs }: Pick<Duration, 'durationMs'>): string {
  return (durationMs / 1000).toFixed(3);
}

function bytesPerSecond({ durationMs, sentBytes }: Duration): number {
  return durationMs === 0 ? sentBytes * 1000 : Math.round(sentBytes / (durationMs / 1000));
}

export const download = wire({
  id: named('number', z.int().min(1).describe('Number of the entry; later ones are larger.')),
  attachment_id: id.describe('Id of the file.'),
  message_id: id.nullable().describe('Id of the message it was fetched from; null for a link.'),
  filelink_id: named('linkId', id.nullable().describe('Id of the link it was fetched from; null for a message.')),
  filename: fileName.describe('Name of the file.'),
  size: sizeBytes.describe('Bytes of the file.'),
  content_type: z.string().describe('Media type of the file.'),
  checksum: sha256.describe('SHA-256 of the file, hex.'),
  crc32: z.string().describe('CRC-32 of the file, 8 hex digits.'),
  downloaded_at: instantMs.describe('When it was downloaded.'),
  user_id: named('ownerId', z.string().describe('User id of the file owner.')),
  recipient: z.string().describe('Address that downloaded; empty when unknown.'),
  remote_ip: named('address', z.string().describe('Network address of the downloader.')),
  remote_host: derived(z.string().describe('Host name, then the address in parentheses.'), remoteHost),
  download_time: derived(z.string().describe('Seconds, decimal text.'), seconds),
  download_speed: derived(z.int().min(0).describe('Bytes per second.'), bytesPerSecond),
  location: z.string().describe('City, region and country in one line; empty when unknown.'),
  user_agent: named('agent', z.string().describe('What the browser or program calls itself.')),
  browser: z.string().describe('Name of the browser; empty when unknown.'),
  os: z.string().describe('Operating system; empty when unknown.'),
  platform: z.string().describe('Kind of device; empty when unknown.'),
  longitude: z.number().nullable().describe('Degrees east; null when unknown.'),
  latitude: z.number().nullable().describe('Degrees north; null when unknown.'),
  country_code: z.string().describe('Two letters; empty when unknown.'),
  country_name: z.string().describe('Name of the country; empty when unknown.'),
  city: z.string().describe('Name of the city; empty when unknown.'),
  region_code: z.string().describe('Code of the region; empty when unknown.'),
  region_name: z.string().describe('Name of the region; empty when unknown.'),
}).meta({ id: 'Download' });

export const downloadsAnswer = z.object({ downloads: z.array(download) });

export const downloadsQuery = z.object({
  after: z.string().optional().describe('Only downloads after this date (`YYYY-MM-DD`, or a full date-time).'),
});

export type DownloadBody = z.input<typeof download>;

export const downloadEndpoints = {
  listMessageDownloads: define({
    method: 'GET',
    path: '/message/:id/downloads',
    tag: 'Download log',
    summary: 'Downloads of one message',
    auth: 'key',
    answer: downloadsAnswer,
    anyFailureIs422: true,
  }),
  listDownloads: define({
    method: 'GET',
    path: '/downloads',
    tag: 'Download log',
    summary: "All downloads of the caller's files",
    auth: 'key',
    query: downloadsQuery,
    answer: downloadsAnswer,
    anyFailureIs422: true,
  }),
  listLinkDownloads: define({
    method: 'GET',
    path: '/link/:id/downloads',
    tag: 'Download log',
    summary: 'Downloads of one FileLink',
    auth: 'key',
    answer: downloadsAnswer,
    anyFailureIs422: true,
  }),
} as const;
