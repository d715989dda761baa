// Erases everything of a deleted user; a job resumes after a crash. Transfers handed over in the meantime stay.
import { listAttachmentIdsOf } from '../../db/attachments/attachments.ts';
import { listFileLinkIdsOf, lockFileLink } from '../../db/file-links/file-links.ts';
import { listMessageIdsOf, lockMessage } from '../../db/messages/messages.ts';
import { deleteSendsOf } from '../../db/messages/sends.ts';
import { deleteUploaderReceiptsOf } from '../../db/receipts/uploader-receipts.ts';
import { findOtherHolder, moveFile } from '../../db/transfers/transfer-owners.ts';
import { listOpenUploadsOf } from '../../db/uploads/uploads.ts';
import type { Caller } from '../../domain/caller.ts';
import { eraseHeldFile } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { endLink } from '../file-links/file-links.ts';
import { endMessageFiles } from '../messages/ending.ts';
import { abandonUpload } from '../uploads/sessions.ts';

const batchSize = 100;

export async function eraseEverythingOf(ctx: Ctx, caller: Caller, userId: string): Promise<void> {
  for (const upload of await listOpenUploadsOf(ctx.db.read, userId))
    await ctx.db.write((tx) => abandonUpload(ctx, tx, upload));
  const links = await listFileLinkIdsOf(ctx.db.read, userId);
  for (const batch of batches(links)) {
    await ctx.db.write(async (tx) => {
      for (const id of batch)
        if ((await lockFileLink(tx, id)) === userId) await endLink(ctx, tx, caller, { id, to: 'deleted' });
    });
  }
  const messages = await listMessageIdsOf(ctx.db.read, userId);
  for (const batch of batches(messages)) {
    await ctx.db.write(async (tx) => {
      for (const id of batch)
        if ((await lockMessage(tx, id))?.ownerId === userId)
          await endMessageFiles(ctx, tx, caller, { id, to: 'revoked', erases: true });
    });
  }
  await ctx.db.write(async (tx) => {
    await deleteUploaderReceiptsOf(tx, userId);
    await deleteSendsOf(tx, userId);
  });
  const files = await listAttachmentIdsOf(ctx.db.read, userId);
  for (const batch of batches(files)) {
    await ctx.db.write(async (tx) => {
      for (const id of batch) {
        // A message that was handed over may still hold it.
        const otherOwnerId = await findOtherHolder(tx, id, userId);
        if (otherOwnerId === null) await eraseHeldFile(ctx, tx, caller, id);
        else await moveFile(tx, id, otherOwnerId);
      }
    });
  }
}

function* batches<Item>(items: Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += batchSize) yield items.slice(start, start + batchSize);
}
