// Requests for bytes in receipts and statements.
import { z } from 'zod';
import { instant } from './wire.ts';

export const downloadRequest = z
  .object({
    request: z.int().describe('1, 2 and so on within the download.'),
    ip: z.string().describe('Network address.'),
    api_key: z.string().describe('Id of the API key that was shown; empty without one.'),
    proof_kind: z
      .enum(['', 'api_key', 'session', 'code', 'account'])
      .describe('What proved the address of the recipient; empty where nothing had to.'),
    proof_id: z
      .string()
      .describe(
        'Id of the API key, or 16 hex digits that a session or a browser has in all its requests; may be empty.',
      ),
    from: z.int().describe('First byte that was granted of the file, or of the archive it was fetched in.'),
    to: z.int().describe('The byte after the last one.'),
    taken: z.int().describe('Bytes of this range handed to the network; until now while it runs.'),
    bytes: z.int().describe('Of these, bytes of the file.'),
    at_most: z
      .int()
      .nullable()
      .describe('Bytes of the file that may have been handed over, if a crash left that open; else null.'),
    at: instant.describe('When it began.'),
    ended_at: instant.nullable().describe('Null while it runs.'),
    outcome: z
      .enum(['running', 'complete', 'partial', 'cut', 'crashed', 'refunded'])
      .describe('`complete`: the whole range was handed to the network. `crashed`: the process that served it ended.'),
  })
  .meta({ id: 'DownloadRequest' });

export const requestLists = {
  total: z.int().describe('Bytes of the file handed to the network, repeated ones too.'),
  at_most: z
    .int()
    .nullable()
    .describe('Distinct bytes of the file that may have been handed over, if a crash left that open; else null.'),
  requests: z.array(downloadRequest).describe('The first 100. None if an earlier version logged the download.'),
  more_requests: z.int().describe('Requests beyond the first 100.'),
};
