// People to write to, and whether the caller's group may.
import type { AppPersonBody } from '#contract/app/contacts.ts';
import { checkRecipients, type Person, suggestPeople } from '../../../actions/contacts/contacts.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';

const usualLimit = 8;

export function servePeople(serve: Serve): void {
  serve('listPeople', async ({ ctx, caller, query }) => ({
    people: (await suggestPeople(ctx, caller, query.q ?? '', query.limit ?? usualLimit)).map(personBody),
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

export function personBody(person: Person): AppPersonBody {
  return { address: person.address, name: person.name, last_at: isoInstant(person.lastAt) };
}
