import { encoderOf } from '#contract/codec.ts';
import { fileLink } from '#contract/file-links.ts';
import { changeFileLink } from '../../actions/file-links/changes.ts';
import {
  createFileLink,
  deleteFileLink,
  getOwnFileLink,
  listOwnFileLinks,
} from '../../actions/file-links/file-links.ts';
import { dryRunLink } from '../../actions/policy/dry-runs.ts';
import type { HttpDeps } from '../deps.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { sendList } from '../transport/answers.ts';
import { publicUrl } from '../transport/urls.ts';

export function serveFileLinks(serve: Serve): void {
  serve('createFileLink', async ({ deps, ctx, caller, body, once }) => {
    const { link } = body;
    const { attachment, dryRun, downloadReceipt, sendDownloadConfirmation, ...choices } = link;
    const input = { ...choices, sendReceipt: downloadReceipt ?? sendDownloadConfirmation };
    // Only a dry run may name a file that is not uploaded.
    if (dryRun === true || typeof attachment !== 'string') {
      const file = typeof attachment === 'string' ? attachment : { ...attachment, inline: null };
      return { dryRun: { rules: await dryRunLink(ctx, caller, { ...input, file }) } };
    }
    const created = await createFileLink(ctx, caller, { ...input, attachmentId: attachment, once });
    return { link: withLinkUrl(deps, created) };
  });

  serve('listFileLinks', async ({ deps, ctx, caller, query, response, requestId }) => {
    const pages = listOwnFileLinks(ctx, caller, query.limit);
    await sendList({ response, requestId }, 'links', pages, (link) => encodeFileLink(withLinkUrl(deps, link)));
    return alreadySent;
  });

  serve('getFileLink', async ({ deps, ctx, caller, params }) => ({
    link: withLinkUrl(deps, await getOwnFileLink(ctx, caller, params.id)),
  }));

  // Existing clients report anything else as failure.
  serve('deleteFileLink', ({ ctx, caller, params }) => deleteFileLink(ctx, caller, params.id));

  serve('updateAuthentication', async ({ deps, ctx, caller, params, body }) => ({
    link: withLinkUrl(deps, await changeFileLink(ctx, caller, params.id, body)),
  }));

  serve('updateDownloadConfirmation', async ({ deps, ctx, caller, params, body }) => ({
    link: withLinkUrl(deps, await changeFileLink(ctx, caller, params.id, body)),
  }));

  serve('updateExpiresAt', async ({ deps, ctx, caller, params, body }) => ({
    link: withLinkUrl(deps, await changeFileLink(ctx, caller, params.id, body)),
  }));
}

const encodeFileLink = encoderOf(fileLink);

export function withLinkUrl<Link extends { id: string }>(deps: HttpDeps, link: Link): Link & { url: string } {
  return { ...link, url: publicUrl(deps, `/link/${link.id}`) };
}
