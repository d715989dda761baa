// People the caller has written to, and whether their group may send to an address.
import { z } from 'zod';
import { wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { digits, instantMs, otherwise } from '../wire.ts';

export const contactsQuery = wire({
  q: otherwise(z.string().max(200).describe('Beginning of an address or of its domain.'), ''),
  limit: otherwise(digits(1, 20).describe('At most 20; 8 when left out.'), 8),
});

export const appContact = wire({
  address: z.string(),
  name: z.string().describe('Blank when not known.'),
  last_at: instantMs,
}).meta({ id: 'AppContact' });
export const contactsAnswer = z.object({ people: z.array(appContact).describe('Newest first.') });

export const checkRecipients = z.object({ recipients: z.array(z.string().max(400)).max(200) });
export const checkRecipientsAnswer = z.object({
  recipients: z
    .array(
      wire({
        typed: z.string(),
        address: z.string().nullable().describe('As it would be used; null when it is no address.'),
        is_allowed: z.boolean(),
        sentence: z.string().nullable().describe('Why not, word for word as sending would say.'),
        code: z.string().nullable(),
      }),
    )
    .describe('In the order they came.'),
});

export const appContactEndpoints = {
  listContacts: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/people',
    summary: 'Addresses the caller wrote to',
    query: contactsQuery,
    answer: contactsAnswer,
  }),
  checkRecipients: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/recipients/check',
    summary: 'Which of these addresses the group may send to',
    body: checkRecipients,
    answer: checkRecipientsAnswer,
  }),
} as const;
