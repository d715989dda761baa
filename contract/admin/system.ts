// The installation itself: version, configuration in force, connection test, jobs, maintenance, support text. Additive.
import { z } from 'zod';
import { derived, named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { flag, instantMs, nullIfBlank, optional, optionalOr } from '../wire.ts';
import { check } from './checks.ts';
import { settingInForce } from './settings.ts';

export const maintenance = wire({
  message: z.string().describe('What people read; empty for the sentence of the product.'),
  until: instantMs
    .nullable()
    .describe('When it is expected to end; for people only; maintenance does not end automatically.'),
  since: instantMs,
}).meta({ id: 'Maintenance' });

export const backupRun = wire({
  started_at: instantMs,
  finished_at: instantMs,
  failure: nullIfBlank.describe('Empty when it went well.'),
  snapshot: named('snapshotId', z.string()),
  files: z.int().describe('Files in the backup, or read by the drill.'),
  bytes: z.int().describe('Of these files; 0 for a drill.'),
}).meta({ id: 'BackupRun' });

export const system = wire({
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  database: z.enum(['SQLite', 'PostgreSQL']),
  storage: z.enum(['folder', 'S3']),
  running_since: named('startedAt', instantMs),
  public_url: named('baseUrl', z.string()),
  settings: z.array(settingInForce),
  maintenance: maintenance.nullable(),
  backups: wire({
    is_scheduled: z.boolean(),
    last_backup: backupRun.nullable(),
    last_good_backup: backupRun.nullable(),
    last_drill: backupRun.nullable().describe('A backup that was restored into a scratch place and read.'),
  }),
  licences: z.array(z.object({ name: z.string(), version: z.string(), licence: z.string() }).meta({ id: 'Licence' })),
}).meta({ id: 'System' });

export const job = wire({
  name: z.string(),
  every_seconds: derived(z.int(), ({ everyMs }: { everyMs: number }) => Math.round(everyMs / 1000)),
  is_running: z.boolean(),
  last_run_at: instantMs.nullable(),
  took_ms: z.int().nullable(),
  note: z.string().describe('What the last run did.'),
  held_because: z.string().nullable().describe('It stopped and waits for an administrator.'),
  failures: z.int().describe('How often it failed in a row.'),
  failed_at: instantMs.nullable(),
  failure: z.string(),
}).meta({ id: 'Job' });

export const probeAnswer = z.object({
  probe: wire({
    host: z.string(),
    forwarded_for: z.string().nullable(),
    peer: z.string(),
    peer_port: z.int(),
    is_peer_trusted: z.boolean(),
    size: z.int(),
  }),
});

export const systemEndpoints = {
  getSystem: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/system',
    summary: 'Version, configuration in force with its sources, licences',
    answer: z.object({ system }),
    origin: 'additive',
  }),
  testConnection: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/system/connection_test',
    summary: 'Sends requests through the public address and says what is wrong on the way',
    answer: wire({ connection_test: z.object({ url: z.string(), checks: z.array(check) }) }),
    origin: 'additive',
  }),
  getSupportText: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/system/support',
    summary: 'A text to paste when asking for help: no secrets, no contents, no addresses of people',
    answer: z.object({ support: z.object({ text: z.string() }) }),
    origin: 'additive',
  }),
  listJobs: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/system/jobs',
    summary: 'Background jobs and how their last run went',
    answer: z.object({ jobs: z.array(job) }),
    origin: 'additive',
  }),
  runJob: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/system/jobs/:name/run',
    summary: 'Run a background job now',
    body: z.object({
      run: wire({
        is_confirmed: optionalOr(flag, false).describe('Continues a job that waits for a confirmation.'),
      }),
    }),
    answer: z.object({ job }),
    origin: 'additive',
  }),
  beginMaintenance: define({
    ...adminCall,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/system/maintenance',
    summary: 'Let in administrators only; transfers that are running finish',
    body: z.object({
      maintenance: wire({ message: optionalOr(z.string().max(500), ''), until: optional(instantMs) }),
    }),
    answer: z.object({ maintenance }),
    origin: 'additive',
  }),
  endMaintenance: define({
    ...adminCall,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/system/maintenance',
    summary: 'End maintenance mode',
    answer: 'empty',
    origin: 'additive',
  }),
  probeConnection: define({
    tag: 'Administration',
    auth: 'none',
    method: 'POST',
    path: '/probe/:token',
    summary: 'What arrives here of a request of the connection test',
    body: 'bytes',
    isOpenInMaintenance: true,
    answer: probeAnswer,
    origin: 'additive',
  }),
} as const;
