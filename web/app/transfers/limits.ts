// Checks before uploading. The server checks everything again.
import type { CallAnswer } from '#contract/client.ts';
import { queryClient } from '../api.ts';
import type { Me } from '../me.ts';
import { queryKey } from '../query-keys.ts';
import type { Batch, BatchLimits } from './engine.ts';
import { transfers } from './transfers.ts';

export function limitsFor({ policy }: Me, batch: Batch): BatchLimits {
  return {
    // Each link has one file, so several links have no total.
    maxTotalBytes: batch === 'send' ? policy.message_max_size * 1024 * 1024 : null,
    maxFiles: null,
    permittedExtensions: extensionsOf(policy.permitted_extensions),
    blockedExtensions: extensionsOf(policy.blocked_extensions),
    refuseTotal: (totalBytes) => refuseWithoutSpace(batch, totalBytes),
  };
}

/** The server already counts what was sent. */
function refuseWithoutSpace(batch: Batch, totalBytes: number): string | null {
  const known = queryClient.getQueryData<CallAnswer<'getStorage'>>(queryKey('getStorage', {}))?.storage;
  if (known === undefined || known.quota === null) return null;
  const files = transfers()
    .read()
    .files.filter((file) => file.batch === batch);
  const sentBytes = files.reduce((sum, file) => sum + file.sentBytes, 0);
  const freeBytes = Math.max(0, known.quota - known.used);
  if (totalBytes - sentBytes <= freeBytes) return null;
  const { texts } = transfers();
  return texts.say('upload.noRoom', { room: texts.size(freeBytes), quota: texts.size(known.quota) });
}

function extensionsOf(list: string): string[] {
  return list
    .split(',')
    .map((one) => one.trim().toLowerCase().replace(/^\./, ''))
    .filter((one) => one !== '');
}
