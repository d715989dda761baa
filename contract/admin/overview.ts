// The overview of the console: items that need attention, running transfers, today compared with other days.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { date, instantMs } from '../wire.ts';
import { readableBytes } from './storage.ts';

export const attention = z
  .object({
    topic: z.enum([
      'mail-off',
      'mail-waiting',
      'mail-refused',
      'storage-full',
      'storage-trouble',
      'jobs-failing',
      'erasing-paused',
      'clock-wrong',
      'backup-failed',
      'drill-failed',
      'events-unsealed',
      'witness-failing',
      'stream-failing',
      'quarantined',
      'files-damaged',
      'backup-missing',
      'certificate-expiring',
      'credential-ending',
      'sync-stopped',
      'webhook-off',
      'scanner-silent',
      'files-held',
      'reviews-waiting',
      'passkeys-elsewhere',
    ]),
    count: z.int().nullable().describe('Mails, jobs, files, or per cent of the storage.'),
    detail: z.string().describe('What a server or a job said; empty when nothing.'),
    since: instantMs.nullable().describe('Of the oldest mail, or of the first start without a backup.'),
  })
  .meta({ id: 'Attention' });

export const runningTransfer = wire({
  id: z.string().describe('For stopping it.'),
  kind: z.enum(['upload', 'download']),
  owner: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  recipient: z.string().describe('Who downloads, where that is known; empty for uploads.'),
  bytes: z.int().describe('Moved so far.'),
  total: named('totalBytes', z.int().nullable().describe('Null where the client has not said how much will come.')),
  started_at: instantMs,
  active_at: instantMs.describe('When bytes last moved.'),
}).meta({ id: 'RunningTransfer' });

const figure = z.object({ today: z.int(), usual: z.int().describe('By this time of day, on average of 28 days.') });

export const overviewDay = z.object({ date, messages: z.int(), downloads: z.int(), bytes: z.int() });

export const overview = wire({
  attention: z.array(attention),
  running: z.array(runningTransfer).describe('Bytes moved in the last minute; at most 50.'),
  today: z.object({ messages: figure, downloads: figure, bytes: figure.describe('Received.') }),
  days: z.array(overviewDay).describe('The last 28 days and today.'),
  mail: wire({
    waiting: z.int(),
    oldest_at: instantMs.nullable(),
    refused: z.int().describe('In 24 hours.'),
  }),
  storage: wire({
    kept: named('keptBytes', z.int().describe('Bytes of the files of all people.')),
    used: named('usedBytes', z.int().nullable().describe('Bytes of the disk; null where the store does not say.')),
    total: named('totalBytes', z.int().nullable()),
    full_on: date.nullable().describe('The day it is full at the present rate; null when it does not grow.'),
  }),
  readable: readableBytes,
  people: z.int(),
  version: z.string(),
}).meta({ id: 'Overview' });

export type Attention = z.output<typeof attention>;
export type OverviewBody = z.input<typeof overview>;
export type AttentionBody = z.input<typeof attention>;
export type RunningTransferBody = z.input<typeof runningTransfer>;

export const overviewEndpoints = {
  getOverview: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/overview',
    summary: 'What needs attention, what runs now, today against usual, mail, storage',
    answer: z.object({ overview }),
    origin: 'additive',
  }),
  stopRunning: define({
    ...adminCall,
    right: 'console.change',
    method: 'DELETE',
    path: '/admin/running/:id',
    summary: 'Stop an upload or a download that runs now',
    answer: 'empty',
    origin: 'additive',
  }),
} as const;
