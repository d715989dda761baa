// Drop pages for programs (compatibility 2.7).
import { z } from 'zod';
import { id, optional } from './wire.ts';

export const filedrop = z
  .object({
    api_key: id.describe('New on every call, lives one day, serves one submission.'),
    name: z.string(),
    permitted_extensions: z.string(),
    limited_extensions: z.string().describe('Older name of permitted_extensions.'),
    blocked_extensions: z.string(),
    max_upload_size: z.int().describe('Mb.'),
  })
  .meta({ id: 'Filedrop' });

export const filedropAnswer = z.object({ filedrop });

export const submitFiledrop = z.object({
  message: z.object({
    from: z.string().max(400),
    name: optional(z.string().max(400)),
    subject: optional(z.string().max(4000)),
    message: optional(z.string()),
    attachments: z.array(z.string().max(64)).max(1000),
  }),
});

export const filedropStatusAnswer = z.object({ message: z.object({ status: z.string() }) });
