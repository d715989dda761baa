import { listReusableFiles } from '../../../actions/attachments/reusable-files.ts';
import { getStorage } from '../../../actions/uploads/quota.ts';
import type { Serve } from '../../endpoint.ts';

export function serveAppFiles(serve: Serve): void {
  serve('listAppFiles', ({ ctx, caller, query }) => listReusableFiles(ctx, caller, query));

  serve('getStorage', async ({ ctx, caller }) => ({ storage: await getStorage(ctx, caller) }));
}
