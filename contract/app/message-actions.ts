// What a sender can do about a sent message. None of it needs a new upload; each answers the message as it is then.
import { z } from 'zod';
import { date, wholeNumber } from '../wire.ts';
import { exposure, sentMessage } from './messages.ts';

const address = z.string().min(1).max(400);

export const remindInput = z.object({
  addresses: z.array(address).max(500).optional().describe('Whom; everybody who has not everything when left out.'),
});
export const remindAnswer = z.object({ reminded: z.array(z.string()), message: sentMessage });

export const extendInput = z.object({ expires_at: date });

export const allowMoreInput = z.object({
  expires_after: wholeNumber.describe('The new limit, higher than before; 0 = no limit.'),
  address: address.optional().describe('For this person only; everybody when left out.'),
});

export const addRecipientsInput = z.object({
  recipients: z.array(address).max(500).default([]),
  cc: z.array(address).max(500).default([]),
  bcc: z.array(address).max(500).default([]),
  send_email: z.boolean().default(true),
});

export const correctInput = z.object({ address: address.describe('The right address.') });

export const emptyInput = z.object({});

export const exposureAnswer = z.object({ exposure });
export const wrongRecipientInput = z.object({ address });
export const wrongRecipientAnswer = z.object({ exposure, message: sentMessage });
