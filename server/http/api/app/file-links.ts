// FileLinks for the web app: the list with what came of each link, one link, its password.
import type { AppLinkBody, AppLinkDetailBody } from '#contract/app/file-links.ts';
import { humanSize } from '#contract/sizes.ts';
import { findNames, type Names } from '../../../actions/contacts/names.ts';
import { dateOfDay } from '../../../actions/downloads/figures.ts';
import { changeLinkPassword } from '../../../actions/file-links/changes.ts';
import { getLink, type LinkDetail, type ListedLink, listLinks } from '../../../actions/file-links/lists.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { HttpDeps } from '../../deps.ts';
import type { Serve } from '../../endpoint.ts';
import { publicUrl } from '../../transport/urls.ts';
import { downloadBody } from '../downloads.ts';
import { readZone } from './downloads.ts';
import { listBody, orderOf, pageWanted } from './lists.ts';

const sorts = { created_at: 'createdAt', expires_at: 'expiresAt', size: 'sizeBytes' } as const;

export function serveAppLinks(serve: Serve): void {
  serve('listAppLinks', async ({ deps, ctx, caller, query }) => {
    const { by, direction } = orderOf(query.sort ?? '-created_at');
    const listed = await listLinks(ctx, caller, {
      ...pageWanted(query),
      state: query.state ?? null,
      order: { by: sorts[by], direction },
    });
    return listBody(listed, (item) => linkBody(deps, item));
  });

  serve('getAppLink', async ({ deps, caller, params, query }) => ({
    link: await tell(deps, caller, params.id, readZone(query.zone)),
  }));

  serve('changeLinkPassword', async ({ deps, ctx, caller, params, body }) => {
    await changeLinkPassword(ctx, caller, params.id, body.password);
    return { link: await tell(deps, caller, params.id, readZone()) };
  });
}

async function tell(deps: HttpDeps, caller: UserCaller, id: string, timeZone: string): Promise<AppLinkDetailBody> {
  const detail = await getLink(deps.ctx, caller, id, timeZone);
  const addresses = detail.recent.map(({ recipient }) => recipient);
  return detailBody(deps, detail, await findNames(deps.ctx, caller, addresses));
}

function linkBody(deps: HttpDeps, { link, state, downloads, lastDownloadAt }: ListedLink): AppLinkBody {
  return {
    id: link.id,
    attachment_id: link.attachmentId,
    filename: link.fileName,
    size: link.sizeBytes,
    size_human: humanSize(link.sizeBytes),
    content_type: link.contentType,
    created_at: isoInstant(link.createdAt),
    expires_at: link.expiresOn,
    has_password: link.hasPassword,
    require_authentication: link.requireSignIn,
    send_download_confirmation: link.sendReceipt,
    downloads,
    last_download_at: lastDownloadAt === null ? null : isoInstant(lastDownloadAt),
    state,
    url: publicUrl(deps, `/link/${link.id}`),
  };
}

function detailBody(deps: HttpDeps, detail: LinkDetail, names: Names): AppLinkDetailBody {
  return {
    ...linkBody(deps, detail),
    checksum: detail.link.sha256,
    crc32: detail.link.crc32,
    downloads_per_day: detail.perDay.map(({ day, downloads }) => ({ date: dateOfDay(day), downloads })),
    recent_downloads: detail.recent.map(downloadBody),
    names,
  };
}
