// Files that are still stored and can be sent or linked again without another upload.
import { z } from 'zod';
import { appCall, define } from '../endpoint.ts';
import { date, id, instant } from '../wire.ts';
import { listAnswer, listQuery } from './lists.ts';

export const appFile = z
  .object({
    id: id.describe('Attachment id, for `attachments` of a message or `attachment` of a link.'),
    filename: z.string(),
    size: z.int().min(0),
    size_human: z.string(),
    content_type: z.string(),
    checksum: z.string(),
    created_at: instant,
    used_in: z
      .array(
        z.object({
          kind: z.enum(['message', 'link']),
          id,
          title: z.string().describe('Subject of the message, or file name of the link.'),
          expires_at: date,
        }),
      )
      .describe('Messages and links that hold it now, newest first, at most 20.'),
    last_day: date.nullable().describe('Until when something holds it; null when nothing does and it goes soon.'),
  })
  .meta({ id: 'AppFile' });

export const appFilesQuery = listQuery(['-created_at', 'created_at', '-size', 'size']);
export const appFilesAnswer = listAnswer(appFile);

export const storage = z
  .object({
    used: z.int().min(0).describe('Bytes that are stored for the caller or promised to uploads.'),
    quota: z.int().min(0).nullable().describe('Bytes; null: no limit.'),
  })
  .meta({ id: 'AppStorage' });
export const storageAnswer = z.object({ storage });

export type AppFileBody = z.input<typeof appFile>;

export const appFileEndpoints = {
  listAppFiles: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/files',
    summary: 'Files that can be sent or linked again without another upload',
    query: appFilesQuery,
    answer: appFilesAnswer,
  }),
  getStorage: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/storage',
    summary: 'How much room the caller uses and has',
    answer: storageAnswer,
  }),
} as const;
