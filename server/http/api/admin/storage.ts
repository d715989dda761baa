import { getReadableByAge } from '../../../actions/storage/readable.ts';
import { getStorageOverview, startCheckingFiles, startDeletingExpired } from '../../../actions/storage/storage.ts';
import type { Serve } from '../../endpoint.ts';
import { withRefusals } from './tasks.ts';

export function serveStorage(serve: Serve): void {
  serve('getStorageOverview', async ({ ctx, caller }) => ({ storage: await getStorageOverview(ctx, caller) }));
  serve('getReadableBytes', async ({ ctx, caller }) => ({ readable: await getReadableByAge(ctx, caller) }));
  serve('deleteExpired', async ({ ctx, caller }) => ({ task: withRefusals(await startDeletingExpired(ctx, caller)) }));
  serve('checkFiles', async ({ ctx, caller }) => ({ task: withRefusals(await startCheckingFiles(ctx, caller)) }));
}
