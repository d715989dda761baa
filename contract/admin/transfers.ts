// Metadata of all messages, links, File Requests and deliveries, for administrators.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { cursorFields, nextPage } from '../lists.ts';
import { receiptAnswer, receiptQuery } from '../receipts.ts';
import { date, digits, expiresOn, flag, instantMs, optional, optionalOr, reference } from '../wire.ts';
import { task } from './tasks.ts';

const kind = z.enum(['message', 'answer', 'drop', 'link', 'request']);
const state = z.enum(['open', 'expired', 'stopped', 'answered']);

export const transfer = wire({
  reference,
  kind: kind.describe('`answer`: handed in to a File Request. `drop`: handed in through a drop page.'),
  state: state.describe('`answered`: a File Request that could be answered once, and was.'),
  owner: wire({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    group: named('groupId', z.string().describe('Id of the group.')),
    group_name: z.string(),
    deleted: named('isDeleted', z.boolean()),
  }),
  sender: z.string().nullable().describe('Who handed it in; null for what its owner sent.'),
  recipients: z.array(z.string()).describe('The first five it goes to, without blind copies.'),
  recipient_count: z.int().describe('All who have access, blind copies included.'),
  files: named('fileCount', z.int()),
  size: named('sizeBytes', z.int().describe('Bytes.')),
  created_at: instantMs,
  expires_at: expiresOn,
}).meta({ id: 'Transfer' });

const text = z.string().max(400).optional();
const days = digits(0, 99_999).optional();

export const transfersQuery = wire({
  kind: kind.optional(),
  person: text.describe('Id or e-mail address of the account it belongs to.'),
  group: text.describe('Id of the group of that account.'),
  recipient: text.describe('Address of a recipient. Links have none.'),
  domain: text.describe('Domain of an address it goes to.'),
  state: state.optional(),
  older_than: days.describe('Days.'),
  newer_than: days.describe('Days.'),
  id: text.describe(
    'A reference; or any id in a mail or on a page, or an address with one in it: of a transfer, mail or file.',
  ),
  ...cursorFields(),
});

export const transferAnswer = z.object({ transfer });
export const transfersAnswer = z.object({ transfers: z.array(transfer), next: nextPage });

const reason = optionalOr(z.string().max(2000), '').describe('Kept in the event.');
export const stopTransferInput = z.object({ reason });
export const extendTransferInput = wire({ expires_at: named('expiresOn', z.string().max(100)), reason });
export const handOverTransferInput = z.object({
  to: z.string().max(400).describe('Id or e-mail address of the person who gets it. Both owners are notified.'),
  reason,
});
export const transferSubjectInput = z.object({ reason: z.string().max(2000) });
export const transferSubjectAnswer = z.object({
  subject: z.string().describe('Of a link the file name.'),
});

const wholeDays = optional(z.int().min(0).max(99_999));
export const bulkTransfersInput = z.object({
  bulk: wire({
    action: z.enum(['stop', 'extend', 'hand_over']),
    filter: wire({
      kind: optional(kind),
      person: optional(z.string().max(400)),
      group: optional(z.string().max(400)),
      recipient: optional(z.string().max(400)),
      domain: optional(z.string().max(400)),
      state: optional(state),
      older_than: wholeDays,
      newer_than: wholeDays,
      id: optional(z.string().max(400)),
      references: optional(z.array(z.string().max(400)).max(100)).describe('These, if the other values fit too.'),
    }).describe('As in the list; open ones unless a state is given. All transfers of all people is refused.'),
    expires_at: named('expiresOn', optionalOr(z.string().max(100), '')),
    to: optionalOr(z.string().max(400), ''),
    reason,
    dry_run: optional(flag).describe('Says what would be done and does nothing.'),
  }),
});
export const bulkTransfersAnswer = z.object({
  bulk: wire({
    dry_run: z.boolean(),
    count: z.int(),
    by_kind: z.partialRecord(kind, z.int()),
    sample: z.array(transfer).describe('The first 50 of a dry run.'),
    task: task.nullable().describe('null for a dry run.'),
  }),
});

export const outsideAnswer = z.object({
  outside: z.array(
    wire({
      domain: z.string(),
      people: z.int(),
      messages: z.int(),
      requests: z.int(),
      size: named('bytes', z.int().describe('Bytes, counted once for each person.')),
      last_expires_at: named('lastExpiresOn', date.describe('The last day of what expires last.')),
    }),
  ),
});

export type TransferBody = z.input<typeof transfer>;

export const transferEndpoints = {
  listTransfers: define({
    ...adminCall,
    right: 'console.read',
    shows: 'transfers',
    method: 'GET',
    path: '/admin/transfers',
    summary: 'All transfers within the caller’s reach, newest first',
    query: transfersQuery,
    answer: transfersAnswer,
    origin: 'additive',
  }),
  listOutside: define({
    ...adminCall,
    right: 'console.read',
    shows: 'transfers',
    method: 'GET',
    path: '/admin/transfers/outside',
    summary: 'Who outside has what open now, by the domain of their address',
    answer: outsideAnswer,
    origin: 'additive',
  }),
  bulkTransfers: define({
    ...adminCall,
    right: 'console.change',
    method: 'POST',
    path: '/admin/transfers/bulk',
    summary: 'Stop, extend or hand over many; with a dry run first',
    body: bulkTransfersInput,
    answer: bulkTransfersAnswer,
    origin: 'additive',
  }),
  getTransfer: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/transfers/:reference',
    summary: 'One transfer',
    answer: transferAnswer,
    origin: 'additive',
  }),
  stopTransfer: define({
    ...adminCall,
    right: 'console.change',
    method: 'POST',
    path: '/admin/transfers/:reference/stop',
    summary: 'End a transfer immediately',
    body: stopTransferInput,
    answer: transferAnswer,
    origin: 'additive',
  }),
  extendTransfer: define({
    ...adminCall,
    right: 'console.change',
    method: 'POST',
    path: '/admin/transfers/:reference/extend',
    summary: 'Give a transfer more time',
    body: extendTransferInput,
    answer: transferAnswer,
    origin: 'additive',
  }),
  handOverTransfer: define({
    ...adminCall,
    right: 'console.change',
    method: 'POST',
    path: '/admin/transfers/:reference/hand_over',
    summary: 'Give a transfer to another person',
    body: handOverTransferInput,
    answer: transferAnswer,
    origin: 'additive',
  }),
  getTransferReceipt: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/transfers/:reference/receipt',
    summary: 'Receipt of one transfer: who, what, when, each download, with proofs',
    sessionProof: 'own_page',
    query: receiptQuery,
    answer: receiptAnswer,
    origin: 'additive',
  }),
  readTransferSubject: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/transfers/:reference/subject',
    summary: 'What it is about, for System Administrators with a reason',
    body: transferSubjectInput,
    answer: transferSubjectAnswer,
    origin: 'additive',
  }),
} as const;
