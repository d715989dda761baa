// One entry of the download log: all 28 fields of the specification, in its order.
import { z } from 'zod';
import { define } from './endpoint.ts';
import { id, instant } from './wire.ts';

export const download = z
  .object({
    id: z.int().min(1),
    attachment_id: id,
    message_id: id.nullable(),
    filelink_id: id.nullable(),
    filename: z.string(),
    size: z.int().min(0),
    content_type: z.string(),
    checksum: z.string(),
    crc32: z.string(),
    downloaded_at: instant,
    user_id: z.string().describe('User id of the file owner.'),
    recipient: z.string().describe('Address that downloaded; empty when unknown.'),
    remote_ip: z.string(),
    remote_host: z.string().describe('Host name, then the address in parentheses.'),
    download_time: z.string().describe('Seconds, decimal text.'),
    download_speed: z.int().min(0).describe('Bytes per second.'),
    location: z.string(),
    user_agent: z.string(),
    browser: z.string(),
    os: z.string(),
    platform: z.string(),
    longitude: z.number().nullable(),
    latitude: z.number().nullable(),
    country_code: z.string(),
    country_name: z.string(),
    city: z.string(),
    region_code: z.string(),
    region_name: z.string(),
  })
  .meta({ id: 'Download' });

export const downloadsAnswer = z.object({ downloads: z.array(download) });

export const downloadsQuery = z.object({
  after: z.string().optional().describe('Only downloads after this date (`YYYY-MM-DD`, or a full date-time).'),
});

export type DownloadBody = z.output<typeof download>;

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
