// Receipts of transfers and certificates of deletion, with proofs that can be checked without this service.
import { z } from 'zod';
import { define } from './endpoint.ts';
import { instant } from './wire.ts';

const event = z.int().nullable().describe('Number of the event that proves it; null where none does.');

export const receipt = z
  .object({
    format: z.literal('waybill-receipt/1'),
    kind: z.enum(['message', 'link', 'request', 'deletion']),
    id: z.string(),
    organisation: z.string(),
    service: z.string(),
    made_at: instant,
    made_for: z.enum(['owner', 'administrator', 'auditor']),
    owner: z.object({ id: z.string(), email: z.string(), name: z.string() }),
    from: z.string(),
    to: z.array(z.object({ address: z.string(), role: z.string(), access_ended_at: instant.nullable() })),
    created_at: instant,
    created_event: event,
    expires_at: z.string().describe('The last day; empty for a certificate of deletion.'),
    state: z.string(),
    files: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable().describe('For the owner alone.'),
        size: z.int(),
        sha256: z.string(),
        uploaded_event: event,
        deleted_at: instant.nullable().describe('When the key of its bytes was destroyed.'),
        deleted_event: event,
      }),
    ),
    downloads: z.array(
      z.object({
        file: z.string(),
        to: z.string(),
        by_owner: z.boolean(),
        ip: z.string(),
        at: instant,
        ended_at: instant.nullable(),
        bytes: z.int(),
        whole: z.boolean(),
        event,
        bytes_event: event,
      }),
    ),
    more_downloads: z.int().describe('Beyond the first 1,000.'),
    answers: z.array(
      z.object({
        id: z.string(),
        from: z.string(),
        confirmed: z.boolean(),
        at: instant,
        size: z.int(),
        event,
      }),
    ),
    pending_events: z.array(z.int()).describe('Not in a signed checkpoint yet; ask again in a minute.'),
  })
  .meta({ id: 'Receipt' });

export const receiptAnswer = z.object({
  receipt,
  events: z.array(
    z.object({
      seq: z.int(),
      entry: z.string().describe('The entry of the log, byte for byte.'),
      fields: z.array(z.object({ field: z.string(), value: z.json(), salt: z.string() })),
      proof: z.string().describe('c2sp.org/tlog-proof@v1'),
    }),
  ),
  keys: z.array(z.string()).describe('Verifier keys of the log.'),
  note: z.string().describe('Signed note over the SHA-256 of everything before it.'),
});

const receiptQuery = z.object({
  format: z.enum(['json', 'pdf']).optional().describe('`pdf`: as a PDF that has the JSON inside; also by Accept.'),
});

const call = {
  tag: 'Evidence',
  auth: 'key',
  origin: 'additive',
  method: 'GET',
  sessionProof: 'own_page',
  query: receiptQuery,
  answer: receiptAnswer,
} as const;

export const receiptEndpoints = {
  getMessageReceipt: define({
    ...call,
    path: '/message/:id/receipt',
    summary:
      'Receipt of a message for its owner, administrators and auditors: who, what, when, each download, with proofs',
  }),
  getLinkReceipt: define({ ...call, path: '/link/:id/receipt', summary: 'Receipt of a link' }),
  getRequestReceipt: define({ ...call, path: '/requests/:id/receipt', summary: 'Receipt of a File Request' }),
  getDeletionCertificate: define({
    ...call,
    path: '/attachments/:id/deletion',
    summary: 'Certificate that the key of a file was destroyed; 404 while it can be read',
  }),
} as const;
