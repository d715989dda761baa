// Compares stored files with their checksums. A damaged file cannot be downloaded; a missing file is not marked,
// because its storage may come back.
import { findAttachment, setAttachmentState } from '../../db/attachments/attachments.ts';
import type { Caller } from '../../domain/caller.ts';
import { BlobMissing } from '../../domain/ports.ts';
import type { Upload } from '../../domain/uploads.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { hashStored } from '../uploads/sealing.ts';

/** `gone`: erased. `mended`: was marked, but is intact. */
export type FileVerdict = 'whole' | 'mended' | 'damaged' | 'missing' | 'gone';

/** Rejects with `StoreUnavailable` when the store is unreachable or not ours. */
export async function checkFile(ctx: Ctx, caller: Caller, id: string): Promise<FileVerdict> {
  const file = await findAttachment(ctx.db.read, id);
  if (file === null || (file.state !== 'ready' && file.state !== 'damaged') || file.dataKey === null) return 'gone';
  const found = await readWhole(ctx, { id, dataKey: file.dataKey });
  const isWhole = found !== 'missing' && found === file.sha256;
  if (isWhole) return file.state === 'damaged' ? mark(ctx, caller, id, 'ready') : 'whole';
  const now = await findAttachment(ctx.db.read, id);
  if (now?.state !== file.state) return 'gone';
  if (found === 'missing') return 'missing';
  return file.state === 'damaged' ? 'damaged' : mark(ctx, caller, id, 'damaged');
}

async function readWhole(ctx: Ctx, file: Pick<Upload, 'id' | 'dataKey'>): Promise<string | 'missing' | null> {
  try {
    return await hashStored(ctx, file);
  } catch (error) {
    if (!(error instanceof BlobMissing)) throw error;
    await ctx.blobs.assertOwn();
    return 'missing';
  }
}

async function mark(ctx: Ctx, caller: Caller, id: string, state: 'ready' | 'damaged'): Promise<FileVerdict> {
  return ctx.db.write(async (tx) => {
    const file = await findAttachment(tx, id);
    if (file?.state !== (state === 'ready' ? 'damaged' : 'ready')) return 'gone';
    await setAttachmentState(tx, id, state);
    await record(ctx, tx, caller, {
      action: state === 'ready' ? 'attachment.mended' : 'attachment.damaged',
      object: { kind: 'attachment', id },
      ownerId: file.ownerId,
    });
    return state === 'ready' ? 'mended' : 'damaged';
  });
}
