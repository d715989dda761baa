// Actions on a sent message, none of which needs a new upload. Each returns the changed message.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { recipientNames } from '../messages.ts';
import { date, wholeNumber } from '../wire.ts';
import { exposure, sentMessage, sentMessageAnswer } from './messages.ts';

const address = z.string().min(1).max(400);

export const remindInput = z.object({
  addresses: z
    .array(address)
    .max(500)
    .optional()
    .describe('Recipients to remind; all without a complete download when left out.'),
});
export const remindAnswer = z.object({ reminded: z.array(z.string()), message: sentMessage });

export const extendInput = wire({ expires_at: named('expiresOn', date) });

export const allowMoreInput = wire({
  expires_after: named('limit', wholeNumber.describe('The new limit, higher than before; 0 = no limit.')),
  address: address.optional().describe('For this person only; for all when left out.'),
});

export const addRecipientsInput = wire({
  recipients: named('to', z.array(address).max(500).default([])),
  cc: z.array(address).max(500).default([]),
  bcc: z.array(address).max(500).default([]),
  names: recipientNames.default([]),
  send_email: z.boolean().default(true),
});

export const correctInput = z.object({ address: address.describe('The right address.') });

export const emptyInput = z.object({});

export const exposureAnswer = z.object({ exposure });
export const wrongRecipientInput = z.object({ address });
export const wrongRecipientAnswer = z.object({ exposure, message: sentMessage });

export const appMessageActionEndpoints = {
  remindRecipients: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/remind',
    summary: 'Remind people who have not downloaded everything',
    body: remindInput,
    answer: remindAnswer,
  }),
  extendMessage: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/extend',
    summary: 'Move the last day',
    body: extendInput,
    answer: sentMessageAnswer,
  }),
  allowMoreDownloads: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/allow_more',
    summary: 'Raise the download limit, for all recipients or one',
    body: allowMoreInput,
    answer: sentMessageAnswer,
  }),
  addRecipients: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/recipients',
    summary: 'Add people to a sent message',
    body: addRecipientsInput,
    answer: sentMessageAnswer,
  }),
  correctRecipient: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/recipients/:address/correct',
    summary: 'Replace a wrong address and send again; the old one is revoked',
    body: correctInput,
    answer: sentMessageAnswer,
  }),
  resendToRecipient: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/recipients/:address/resend',
    summary: 'Send the mail once more',
    body: emptyInput,
    answer: sentMessageAnswer,
  }),
  revokeRecipient: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/recipients/:address/revoke',
    summary: 'Take access away from one person; running downloads end',
    body: emptyInput,
    answer: sentMessageAnswer,
  }),
  getExposure: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/messages/:id/recipients/:address/exposure',
    summary: 'What one person has seen and downloaded so far',
    answer: exposureAnswer,
  }),
  revokeMessage: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/revoke',
    summary: 'Withdraw a message: running downloads end, and the files are deleted after the grace period',
    body: emptyInput,
    answer: sentMessageAnswer,
  }),
  deleteMessageFiles: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/delete_files',
    summary: 'Stop sharing and delete the files',
    body: emptyInput,
    answer: sentMessageAnswer,
  }),
  removeMessageFile: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/files/:file/remove',
    summary: 'Take one file out of a sent message; running downloads of it end',
    body: emptyInput,
    answer: sentMessageAnswer,
  }),
  reportWrongRecipient: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/messages/:id/wrong_recipient',
    summary: 'Withdraw access from one recipient immediately; returns and records exactly what was exposed',
    body: wrongRecipientInput,
    answer: wrongRecipientAnswer,
  }),
} as const;
