import { findNames } from '../../../actions/contacts/names.ts';
import { createReceivedTicket, getReceived, listReceived, readReceived } from '../../../actions/received/received.ts';
import { asciiFallback } from '../../../lib/file-name.ts';
import type { Serve } from '../../endpoint.ts';
import { publicUrl } from '../../transport/urls.ts';

export function serveReceived(serve: Serve): void {
  serve('listReceived', ({ ctx, caller, query }) => listReceived(ctx, caller, query));

  serve('getReceived', async ({ deps, ctx, caller, params }) => {
    const received = await getReceived(ctx, caller, params.id);
    const names = await findNames(ctx, caller, [...received.recipients, ...received.ccs]);
    return { received: { ...received, names, url: publicUrl(deps, `/message/${received.id}`) } };
  });

  serve('readReceived', ({ ctx, caller, params }) => readReceived(ctx, caller, params.id));

  serve('createReceivedTicket', async ({ deps, ctx, caller, params, body }) => {
    const { ticket, fileName, expiresAt } = await createReceivedTicket(ctx, caller, params.id, body.attachment);
    return { ticket: { url: publicUrl(deps, `/dl/${ticket}/${asciiFallback(fileName)}`), expiresAt } };
  });
}
