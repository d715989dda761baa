// Results of the virus scanner and the content rules.
import { z } from 'zod';
import { wire } from './codec.ts';

export const heldVerdict = z.enum(['infected', 'unscannable', 'blocked']);

export const scanReason = z
  .enum([
    '',
    'too_large',
    'encrypted',
    'damaged',
    'nested_too_deep',
    'skipped',
    'type_mismatch',
    'encrypted_archive',
    'macros',
    'archive_depth',
  ])
  .describe('Why the scanner could not check it, or the content rule that blocks it.');

export const fileCheck = wire({
  state: z.enum(['waiting', 'held']).describe('`waiting`: being checked. `held`: no recipient gets it.'),
  percent: z.int().nullable().describe('How much of a large file the virus scanner has; null before its turn.'),
  verdict: heldVerdict.nullable().describe('Of a held file.'),
  reason: scanReason,
  signature: z.string().describe('Name of the malware.'),
})
  .nullable()
  .describe('The check for viruses and by content rules; null once the file may be downloaded.');
