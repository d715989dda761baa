// People to write to, and whether the caller's group may.
import type { AppContactBody } from '#contract/app/contacts.ts';
import { type Contact, checkRecipients, listContacts } from '../../../actions/contacts/contacts.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { readerOf } from '../../transport/languages.ts';
import { refusalWords } from '../../transport/refusal-texts.ts';

const usualLimit = 8;

export function serveContacts(serve: Serve): void {
  serve('listContacts', async ({ ctx, caller, query }) => ({
    people: (await listContacts(ctx, caller, query.q ?? '', query.limit ?? usualLimit)).map(contactBody),
  }));

  serve('checkRecipients', async ({ deps, raw, ctx, caller, body }) => {
    const reader = readerOf(deps, raw);
    const checked = await checkRecipients(ctx, caller, body.recipients);
    const recipients = checked.map(({ typed, address, refusal }) => ({
      typed,
      address,
      is_allowed: refusal === null,
      sentence: refusal === null ? null : refusalWords(refusal, reader),
      code: refusal?.code ?? null,
    }));
    return { recipients };
  });
}

export function contactBody(contact: Contact): AppContactBody {
  return { address: contact.address, name: contact.name, last_at: isoInstant(contact.lastAt) };
}
