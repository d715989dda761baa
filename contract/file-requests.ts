// File Requests on the wire.
import { z } from 'zod';
import { date, flag, id, instant, optional } from './wire.ts';

export const createFileRequest = z.object({
  request: z.object({
    recipient: z.string().max(400),
    subject: optional(z.string().max(4000)),
    message: optional(z.string()),
    send_email: optional(flag).describe('Default true.'),
    expires_at: optional(z.string()).describe('Date.'),
    multiuse: optional(flag),
    bcc_myself: optional(flag),
  }),
});

/** Specification: id, url, expires_at, created_at; older documents add subject and message, so all are sent. */
export const fileRequest = z
  .object({ id, url: z.url(), expires_at: date, created_at: instant, subject: z.string(), message: z.string() })
  .meta({ id: 'FileRequest' });

export const fileRequestAnswer = z.object({ request: fileRequest });
