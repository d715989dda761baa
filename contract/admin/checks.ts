// Results of checks of the mail server, the sender domain and the public address.
import { z } from 'zod';

export const zoneRecord = z
  .object({ name: z.string(), type: z.enum(['TXT', 'PTR']), value: z.string() })
  .meta({ id: 'ZoneRecord' });

export const check = z
  .object({
    check: z.string().describe('What was looked at.'),
    state: z.enum(['passed', 'warning', 'failed', 'skipped']),
    code: z.string().describe('Stable; for programs.'),
    sentence: z.string().describe('What was found, in the language of the caller.'),
    cure: z.string().nullable().describe('What to do about it.'),
    said: z.string().describe('The words of the other side, as they came.'),
    record: zoneRecord.nullable().describe('A record to add to the domain.'),
  })
  .meta({ id: 'Check' });

export type CheckBody = z.input<typeof check>;
