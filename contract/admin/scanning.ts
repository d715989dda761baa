// The virus scanner and its quarantine.
import { z } from 'zod';
import { wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { heldVerdict, scanReason } from '../scanning.ts';
import { fileName, id, instantMs, sizeBytes } from '../wire.ts';
import { check } from './checks.ts';

export const quarantined = wire({
  id: id.describe('Id in the quarantine; opens nothing else.'),
  filename: fileName,
  size: sizeBytes,
  verdict: heldVerdict,
  reason: scanReason,
  signature: z.string().describe('Name of the malware.'),
  held_at: instantMs,
  uploader: z.string().describe('Address of the account that owns the file; empty if a person outside handed it in.'),
  transfers: z.array(z.string()).describe('References of the messages and links that share it.'),
}).meta({ id: 'QuarantinedFile' });

const settingsFields = {
  address: z
    .string()
    .max(500)
    .describe('`clamd://host:port`, `clamd:/path/to/socket`, `icap://host:port/service` or `icaps://…`.'),
  certificates: z.string().max(100_000).describe('Further certificate authorities for `icaps`, as PEM.'),
  timeout_seconds: z.int().min(1).max(3600).describe('How long the scanner may be silent.'),
};

const settingsInput = wire({
  address: settingsFields.address,
  certificates: settingsFields.certificates.optional(),
  timeout_seconds: settingsFields.timeout_seconds.optional(),
});

const scannerSettings = wire({
  source: z.enum(['environment', 'console', 'none']).describe('Where the scanner is set up; the environment wins.'),
  fixed: z.record(z.string(), z.string()).describe('The variable of each field that the environment sets.'),
  ...settingsFields,
}).meta({ id: 'ScannerSettings' });

export const scannerStatus = wire({
  place: z.string().nullable().describe('Where the scanner is; null without one.'),
  version: z.string().describe('Program and signatures, as tested last.'),
  fault: z.string().nullable().describe('Why it gives no verdicts; null while it works.'),
  since: instantMs.nullable().describe('When this state began.'),
  last_fault: wire({ words: z.string(), ended_at: instantMs })
    .nullable()
    .describe('Why it gave no verdicts before this state; null if it always worked.'),
  signatures_at: instantMs.nullable().describe('Date of its signatures; null if it does not say.'),
  checked_at: instantMs.nullable().describe('When it last gave a verdict.'),
  settings: scannerSettings,
  waiting: z.int().describe('Files in the queue.'),
  not_scanned: z
    .array(wire({ filename: fileName, size: sizeBytes, reason: scanReason, scanned_at: instantMs }))
    .describe('Files that the scanner could not check, newest first.'),
}).meta({ id: 'ScannerStatus' });

const call = { ...adminCall, origin: 'additive' } as const;

export const scanningEndpoints = {
  getScanner: define({
    ...call,
    right: 'system.read',
    shows: 'quarantine',
    method: 'GET',
    path: '/admin/scanner',
    summary: 'State of the virus scanner, and the files that it could not check',
    answer: z.object({ scanner: scannerStatus }),
  }),
  changeScannerSettings: define({
    ...call,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/scanner/settings',
    summary: 'Test a virus scanner, and use it from now on if it passes; 422 with the steps if not',
    body: wire({ scanner_settings: settingsInput }),
    answer: z.object({ scanner: scannerStatus }),
  }),
  removeScannerSettings: define({
    ...call,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/scanner/settings',
    summary: 'Remove the virus scanner of the console',
    answer: z.object({ scanner: scannerStatus }),
  }),
  testScanner: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/scanner/test',
    summary: 'Send a clean file, the EICAR test file and an encrypted archive to a virus scanner, without saving it',
    body: wire({ scanner_settings: settingsInput.optional().describe('The scanner in force when left out.') }),
    answer: wire({ scanner_test: wire({ version: z.string(), steps: z.array(check) }) }),
  }),
  listQuarantine: define({
    ...call,
    right: 'system.read',
    shows: 'quarantine',
    method: 'GET',
    path: '/admin/quarantine',
    summary: 'Files that are held after a virus scan, newest first',
    answer: z.object({ quarantine: z.array(quarantined) }),
  }),
  releaseQuarantined: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/quarantine/:id/release',
    summary: 'Let a held file be downloaded in spite of its verdict',
    body: z.object({
      release: z.object({
        reason: z.string().max(2000).describe('Kept in the log.'),
        password: z.string().max(1000).describe("The caller's own password."),
      }),
    }),
    answer: 'empty',
  }),
  deleteQuarantined: define({
    ...call,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/quarantine/:id',
    summary: 'Erase a held file',
    answer: 'empty',
  }),
} as const;
