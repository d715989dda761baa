import { findNames } from '../../../actions/contacts/names.ts';
import type { Ctx } from '../../../actions/context.ts';
import { closeRequest, extendRequest, remindRequest, reopenRequest } from '../../../actions/file-requests/changes.ts';
import { getRequest, listRequests } from '../../../actions/file-requests/lists.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import type { Serve } from '../../endpoint.ts';

export function serveAppRequests(serve: Serve): void {
  serve('listAppRequests', async ({ ctx, caller, query }) => {
    const listed = await listRequests(ctx, caller, query);
    const people = listed.items.map(({ recipient }) => recipient);
    return { ...listed, names: await findNames(ctx, caller, people) };
  });

  serve('getAppRequest', async ({ ctx, caller, params }) => getOne(ctx, caller, params.id));

  serve('remindRequest', async ({ ctx, caller, params }) => {
    await remindRequest(ctx, caller, params.id);
    return getOne(ctx, caller, params.id);
  });

  serve('closeRequest', async ({ ctx, caller, params }) => {
    await closeRequest(ctx, caller, params.id);
    return getOne(ctx, caller, params.id);
  });

  serve('extendRequest', async ({ ctx, caller, params, body }) => {
    await extendRequest(ctx, caller, params.id, body.expiresOn);
    return getOne(ctx, caller, params.id);
  });

  serve('reopenRequest', async ({ ctx, caller, params, body }) => {
    await reopenRequest(ctx, caller, params.id, body);
    return getOne(ctx, caller, params.id);
  });
}

async function getOne(ctx: Ctx, caller: UserCaller, id: string) {
  const request = await getRequest(ctx, caller, id);
  const people = [request.recipient, ...request.mails.map(({ address }) => address)];
  return { request: { ...request, names: await findNames(ctx, caller, people) } };
}
