// Files that are still stored and can be sent or linked again without another upload.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { listAnswer, listQuery, sortBy } from '../lists.ts';
import { date, expiresOn, fileName, id, instantMs, sha256, sizeBytes, sizeHuman } from '../wire.ts';

export const appFile = wire({
  id: id.describe('Attachment id, for `attachments` of a message or `attachment` of a link.'),
  filename: fileName,
  size: sizeBytes,
  size_human: sizeHuman,
  content_type: z.string(),
  checksum: sha256,
  created_at: instantMs,
  used_in: named(
    'uses',
    z
      .array(
        wire({
          kind: z.enum(['message', 'link']),
          id,
          title: z.string().describe('Subject of the message, or file name of the link.'),
          expires_at: expiresOn,
        }),
      )
      .describe('Messages and links that hold it now, newest first, at most 20.'),
  ),
  last_day: date.nullable().describe('Until when something holds it; null when nothing does and it goes soon.'),
}).meta({ id: 'AppFile' });

export const appFilesQuery = listQuery(
  sortBy(['-created_at', 'created_at', '-size', 'size'], { size: 'sizeBytes' }),
  {},
);
export const appFilesAnswer = listAnswer(appFile, {});

export const storage = wire({
  used: named('usedBytes', z.int().min(0).describe('Bytes that are stored for the caller or promised to uploads.')),
  quota: named('quotaBytes', z.int().min(0).nullable().describe('Bytes; null: no limit.')),
}).meta({ id: 'AppStorage' });
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
