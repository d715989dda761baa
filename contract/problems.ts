// The one error body of the API. `errors` is what existing clients read; the rest is for programs and support.
import { z } from 'zod';
import { check } from './admin/checks.ts';
import { instant } from './wire.ts';

export const problem = z
  .object({
    errors: z.array(z.string()).min(1).describe('Sentences that may be shown to a person as they are.'),
    localized_errors: z
      .array(z.string())
      .optional()
      .describe('The same in the language of a person, for browsers without an API key whose language is not English.'),
    code: z
      .string()
      .regex(/^[a-z_]+\.[a-z_]+$/)
      .describe('Stable code, `noun.reason`.'),
    field: z.string().optional().describe('The one field to blame, if there is one.'),
    meanwhile: z
      .array(
        z.object({
          setting: z.string().describe('Name of the setting.'),
          from: z.unknown().describe('Before.'),
          to: z.unknown().describe('After.'),
          by: z.string().describe('E-mail address.'),
          at: instant.describe('When.'),
        }),
      )
      .optional()
      .describe('With 409: what other users have changed since the version in the request.'),
    steps: z.array(check).optional().describe('Of a test that failed.'),
    request_id: z.string().describe('Quote it when asking for help.'),
  })
  .meta({ id: 'Problem' });

export type ProblemBody = z.input<typeof problem>;
