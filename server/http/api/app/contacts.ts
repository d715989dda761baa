import { checkRecipients, listContacts } from '../../../actions/contacts/contacts.ts';
import type { Serve } from '../../endpoint.ts';
import { readerOf } from '../../transport/languages.ts';
import { refusalText } from '../../transport/refusal-texts.ts';

export function serveContacts(serve: Serve): void {
  serve('listContacts', async ({ ctx, caller, query }) => ({
    people: await listContacts(ctx, caller, query.q, query.limit),
  }));

  serve('checkRecipients', async ({ deps, raw, ctx, caller, body }) => {
    const reader = readerOf(deps, raw);
    const checked = await checkRecipients(ctx, caller, body.recipients);
    const recipients = checked.map(({ refusal, ...recipient }) => ({
      ...recipient,
      isAllowed: refusal === null,
      sentence: refusal === null ? null : refusalText(refusal, reader),
      code: refusal?.code ?? null,
    }));
    return { recipients };
  });
}
