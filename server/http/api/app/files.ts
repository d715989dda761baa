// Files that are still stored, for sending or linking them again.
import type { AppFileBody } from '#contract/app/files.ts';
import { humanSize } from '#contract/sizes.ts';
import { listReusableFiles, type ReusableFile } from '../../../actions/attachments/reusable-files.ts';
import { getStorage } from '../../../actions/uploads/quota.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { listBody, orderOf, pageWanted } from './lists.ts';

const shownUses = 20;
const sorts = { created_at: 'createdAt', size: 'sizeBytes' } as const;

export function serveAppFiles(serve: Serve): void {
  serve('listAppFiles', async ({ ctx, caller, query }) => {
    const { by, direction } = orderOf(query.sort ?? '-created_at');
    const order = { by: sorts[by], direction };
    return listBody(await listReusableFiles(ctx, caller, { ...pageWanted(query), order }), fileBody);
  });

  serve('getStorage', async ({ ctx, caller }) => {
    const { usedBytes, quotaBytes } = await getStorage(ctx, caller);
    return { storage: { used: usedBytes, quota: quotaBytes } };
  });
}

function fileBody({ file, uses, lastDay }: ReusableFile): AppFileBody {
  return {
    id: file.id,
    filename: file.fileName,
    size: file.sizeBytes,
    size_human: humanSize(file.sizeBytes),
    content_type: file.contentType,
    checksum: file.sha256,
    created_at: isoInstant(file.createdAt),
    used_in: uses.slice(0, shownUses).map((use) => ({
      kind: use.kind,
      id: use.id,
      title: use.title,
      expires_at: use.expiresOn,
    })),
    last_day: lastDay,
  };
}
