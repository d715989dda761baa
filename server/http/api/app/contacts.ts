// People to write to, and whether the caller's group may.
import type { AppContactBody } from '#contract/app/contacts.ts';
import { type Contact, checkRecipients, listContacts } from '../../../actions/contacts/contacts.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';

const usualLimit = 8;

export function serveContacts(serve: Serve): void {
  serve('listContacts', async ({ ctx, caller, query }) => ({
    people: (await listContacts(ctx, caller, query.q ?? '', query.limit ?? usualLimit)).map(contactBody),
  }));

  serve('checkRecipients', async ({ ctx, caller, body }) => ({
    recipients: (await checkRecipients(ctx, caller, body.recipients)).map(({ typed, address, refusal }) => ({
      typed,
      address,
      is_allowed: refusal === null,
      sentence: refusal?.sentences[0] ?? null,
      code: refusal?.code ?? null,
    })),
  }));
}

export function contactBody(contact: Contact): AppContactBody {
  return { address: contact.address, name: contact.name, last_at: isoInstant(contact.lastAt) };
}
