// Search over everything of the caller.
import { humanSize } from '#contract/sizes.ts';
import type { ReusableFile } from '../../../actions/attachments/reusable-files.ts';
import { findNames } from '../../../actions/contacts/names.ts';
import { search } from '../../../actions/search/search.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { contactBody } from './contacts.ts';

const shownPeople = 3;

export function serveSearch(serve: Serve): void {
  serve('search', async ({ ctx, caller, query }) => {
    const found = await search(ctx, caller, query.q);
    const addresses = [
      ...found.messages.flatMap(({ people }) => people.slice(0, shownPeople)),
      ...found.requests.map(({ request }) => request.recipient),
    ];
    return {
      messages: found.messages.map((message) => ({
        id: message.id,
        direction: message.direction,
        subject: message.subject,
        people: message.people.slice(0, shownPeople),
        people_total: message.people.length,
        created_at: isoInstant(message.createdAt),
        state: message.state,
      })),
      links: found.links.map((link) => ({
        id: link.id,
        filename: link.fileName,
        created_at: isoInstant(link.createdAt),
        state: link.state,
      })),
      requests: found.requests.map(({ request, state }) => ({
        id: request.id,
        recipient: request.recipient,
        subject: request.subject,
        created_at: isoInstant(request.createdAt),
        state,
      })),
      files: found.files.map(({ file, uses }) => ({
        id: file.id,
        filename: file.fileName,
        size: file.sizeBytes,
        size_human: humanSize(file.sizeBytes),
        created_at: isoInstant(file.createdAt),
        used_in: usedIn(uses),
      })),
      people: found.people.map(contactBody),
      names: await findNames(ctx, caller, addresses),
      is_complete: found.isComplete,
    };
  });
}

function usedIn([use]: ReusableFile['uses']) {
  return use === undefined ? null : { kind: use.kind, id: use.id, title: use.title };
}
