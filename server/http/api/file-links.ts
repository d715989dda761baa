// FileLinks, exactly as the specification words them.
import type { FileLinkBody } from '#contract/file-links.ts';
import { humanSize } from '#contract/sizes.ts';
import { changeFileLink } from '../../actions/file-links/changes.ts';
import {
  createFileLink,
  deleteFileLink,
  getOwnFileLink,
  listOwnFileLinks,
} from '../../actions/file-links/file-links.ts';
import { dryRunLink } from '../../actions/policy/dry-runs.ts';
import type { FileLink } from '../../domain/file-links.ts';
import { invalid } from '../../domain/problem.ts';
import { isoInstant } from '../../lib/dates.ts';
import { sendList } from '../answers.ts';
import type { HttpDeps } from '../deps.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { publicUrl } from '../urls.ts';
import { dryRunBody } from './dry-runs.ts';

export function serveFileLinks(serve: Serve): void {
  serve('createFileLink', async ({ deps, ctx, caller, body, once }) => {
    const { link } = body;
    const { attachment } = link;
    const wishes = {
      expiresOn: link.expires_at,
      password: link.password,
      sendReceipt: link.download_receipt ?? link.send_download_confirmation,
      requireSignIn: link.require_authentication,
    };
    // The contract takes a file that is only named for a dry run alone.
    if (link.dry_run === true || typeof attachment !== 'string') {
      const file =
        typeof attachment === 'string'
          ? attachment
          : { fileName: attachment.filename, sizeBytes: attachment.size, inline: null };
      return dryRunBody(await dryRunLink(ctx, caller, { ...wishes, file }));
    }
    const created = await createFileLink(ctx, caller, { ...wishes, attachmentId: attachment, once });
    return { link: fileLinkBody(deps, created) };
  });

  serve('listFileLinks', async ({ deps, ctx, caller, query, response, requestId }) => {
    const pages = listOwnFileLinks(ctx, caller, readLimit(query.limit));
    await sendList({ response, requestId }, 'links', pages, (link) => fileLinkBody(deps, link));
    return alreadySent;
  });

  serve('getFileLink', async ({ deps, ctx, caller, params }) => ({
    link: fileLinkBody(deps, await getOwnFileLink(ctx, caller, params.id!)),
  }));

  // A successful delete answers 200 with an empty body; anything else is reported as failure (compatibility rule 7).
  serve('deleteFileLink', ({ ctx, caller, params }) => deleteFileLink(ctx, caller, params.id!));

  serve('updateAuthentication', async ({ deps, ctx, caller, params, body }) => ({
    link: fileLinkBody(
      deps,
      await changeFileLink(ctx, caller, params.id!, { requireSignIn: body.require_authentication }),
    ),
  }));

  serve('updateDownloadConfirmation', async ({ deps, ctx, caller, params, body }) => ({
    link: fileLinkBody(
      deps,
      await changeFileLink(ctx, caller, params.id!, { sendReceipt: body.send_download_confirmation }),
    ),
  }));

  serve('updateExpiresAt', async ({ deps, ctx, caller, params, body }) => ({
    link: fileLinkBody(deps, await changeFileLink(ctx, caller, params.id!, { expiresOn: body.expires_at })),
  }));
}

function readLimit(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  if (!/^\d+$/.test(text)) throw invalid('link.bad_limit', 'The parameter "limit" must be a whole number.', 'limit');
  return Number(text);
}

function fileLinkBody(deps: HttpDeps, link: FileLink): FileLinkBody {
  return {
    id: link.id,
    filename: link.fileName,
    size: link.sizeBytes,
    size_human: humanSize(link.sizeBytes),
    expires_at: link.expiresOn,
    send_download_confirmation: link.sendReceipt,
    require_authentication: link.requireSignIn,
    url: publicUrl(deps, `/link/${link.id}`),
    created_at: isoInstant(link.createdAt),
    updated_at: isoInstant(link.updatedAt),
  };
}
