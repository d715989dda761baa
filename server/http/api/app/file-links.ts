import { findNames } from '../../../actions/contacts/names.ts';
import { changeLinkPassword } from '../../../actions/file-links/changes.ts';
import { getLink, listLinks } from '../../../actions/file-links/lists.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import type { HttpDeps } from '../../deps.ts';
import type { Serve } from '../../endpoint.ts';
import { withLinkUrl } from '../file-links.ts';

export function serveAppLinks(serve: Serve): void {
  serve('listAppLinks', async ({ deps, ctx, caller, query }) => {
    const listed = await listLinks(ctx, caller, query);
    return { ...listed, items: listed.items.map((link) => withLinkUrl(deps, link)) };
  });

  serve('getAppLink', ({ deps, caller, params, query }) => getOne(deps, caller, params.id, query.timeZone));

  serve('changeLinkPassword', async ({ deps, ctx, caller, params, body }) => {
    await changeLinkPassword(ctx, caller, params.id, body.password);
    return getOne(deps, caller, params.id, 'UTC');
  });
}

async function getOne(deps: HttpDeps, caller: UserCaller, id: string, timeZone: string) {
  const link = await getLink(deps.ctx, caller, id, timeZone);
  const people = link.recentDownloads.map(({ recipient }) => recipient);
  return { link: { ...withLinkUrl(deps, link), names: await findNames(deps.ctx, caller, people) } };
}
