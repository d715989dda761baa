// Receipts of transfers and certificates of deletion, with proofs that can be checked without this service.
import { z } from 'zod';
import { requestLists } from './download-requests.ts';
import { define } from './endpoint.ts';
import { instant } from './wire.ts';

const event = z.int().nullable().describe('Number of the event that proves it; null where none does.');

export const receipt = z
  .object({
    format: z.literal('waybill-receipt/1').describe('What this is, and in which version.'),
    kind: z.enum(['message', 'link', 'request', 'deletion']).describe('What the receipt is about.'),
    id: z
      .string()
      .describe(
        'Id of the message, link or request for its owner, for others its reference; of a certificate the id of the file.',
      ),
    organisation: z.string().describe('Name of the installation.'),
    service: z.string().describe('Address of the installation.'),
    made_at: instant.describe('When this receipt was made.'),
    made_for: z.enum(['owner', 'administrator', 'auditor']).describe('Who asked for it, which decides what it shows.'),
    owner: z
      .object({
        id: z.string().describe('Id of the person.'),
        email: z.string().describe('E-mail address.'),
        name: z.string().describe('Full name.'),
      })
      .describe('Whose transfer it is.'),
    from: z.string().describe('Address of the sender.'),
    to: z
      .array(
        z.object({
          address: z.string().describe('E-mail address.'),
          role: z.string().describe('`to`, `cc` or `bcc`.'),
          access_ended_at: instant.nullable().describe('When access was taken away; null if it was not.'),
        }),
      )
      .describe('Who it was for.'),
    created_at: instant.describe('When it was made.'),
    created_event: event,
    expires_at: z.string().describe('The last day; empty for a certificate of deletion.'),
    state: z.string().describe('What has become of it.'),
    files: z.array(
      z.object({
        id: z.string().describe('Id of the file.'),
        name: z.string().nullable().describe('For the owner alone.'),
        size: z.int().describe('Bytes.'),
        sha256: z.string().describe('SHA-256 of the file, hex.'),
        uploaded_event: event,
        deleted_at: instant.nullable().describe('When the service recorded that it destroyed the key of its bytes.'),
        deleted_event: event,
        deleted_key: z
          .string()
          .nullable()
          .describe('Commitment to the destroyed key: SHA-256 in Base64 over `waybill data key`, the id and the key.'),
        backups_until: instant
          .nullable()
          .describe('When daily backups made before the deletion end; null if the service makes none.'),
      }),
    ),
    downloads: z.array(
      z.object({
        file: z.string().describe('Id of the file.'),
        to: z.string().describe('Address that fetched it; empty when unknown.'),
        by_owner: z.boolean().describe('Whether its owner fetched it.'),
        ip: z.string().describe('Network address.'),
        at: instant.describe('When it began.'),
        ended_at: instant.nullable().describe('When the last byte was handed to the network; null while it runs.'),
        bytes: z.int().describe('Distinct bytes of the file handed to the network.'),
        whole: z.boolean().describe('Whether the file was handed to the network completely.'),
        event,
        bytes_event: event,
        ...requestLists,
      }),
    ),
    more_downloads: z.int().describe('Beyond the first 1,000.'),
    answers: z.array(
      z.object({
        id: z.string().describe('Id of the answer for its owner, for others its reference.'),
        from: z.string().describe('Address of the person who answered.'),
        confirmed: z.boolean().describe('Whether the address was proven.'),
        at: instant.describe('When the files were handed over.'),
        size: z.int().describe('Bytes.'),
        event,
      }),
    ),
    pending_events: z.array(z.int()).describe('Not in a signed checkpoint yet; ask again in a minute.'),
    checkpoints: z
      .array(
        z.object({
          size: z.int().describe('Entries of the log.'),
          last_event: z.int().describe('Number of the last event in it.'),
          sealed_at: instant.describe('When it was signed.'),
          witnesses: z
            .array(z.object({ name: z.string(), at: instant }))
            .describe('Who cosigned it, and when by their own clock.'),
        }),
      )
      .describe('Those in the proofs, smallest first; an event belongs to the first one that reaches it.'),
  })
  .meta({ id: 'Receipt' });

export const receiptAnswer = z.object({
  receipt,
  events: z.array(
    z.object({
      seq: z.int().describe('Number of the event in the log.'),
      entry: z.string().describe('The entry of the log, byte for byte.'),
      fields: z.array(
        z.object({
          field: z.string().describe('Name of the field.'),
          value: z.json().describe('What it says.'),
          salt: z.string().describe('Makes its hash unguessable.'),
        }),
      ),
      proof: z.string().describe('c2sp.org/tlog-proof@v1'),
    }),
  ),
  keys: z.array(z.string()).describe('Verifier keys of the log.'),
  note: z.string().describe('Signed note over the SHA-256 of everything before it.'),
});

export const receiptQuery = z.object({
  format: z
    .enum(['json', 'pdf', 'cose'])
    .optional()
    .describe(
      '`pdf`: as a PDF that has the JSON inside; also by Accept. `cose`: as COSE_Sign1 with receipts of RFC 9942.',
    ),
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
