// Removes a file from a sent message, effective immediately, also for running downloads.
import { listMessageFiles, listRemovedFiles, removeMessageFile } from '../../db/messages/message-files.ts';
import { updateMessage } from '../../db/messages/messages.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { HeldFile } from '../../domain/messages.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { releaseFile } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { lockSent, requireOpen } from './changes.ts';
import { removeFromQueuedMails } from './mails.ts';

/** To withdraw the last file, the sender stops sharing. */
export function hasOtherFiles<Held extends Pick<HeldFile, 'state'>>(files: readonly Held[], removed: Held): boolean {
  return files.some((file) => file !== removed && file.state !== 'erased');
}

export async function removeFile(ctx: Ctx, caller: UserCaller, id: string, fileId: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const message = await lockSent(tx, caller, id);
    requireOpen(ctx, message);
    const files = await listMessageFiles(tx, id);
    const file = files.find(({ attachmentId }) => attachmentId === fileId);
    if (file === undefined) {
      const removed = await listRemovedFiles(tx, id);
      if (!removed.some(({ attachmentId }) => attachmentId === fileId)) throw notFound('file');
      throw invalid('message.file_removed', 'This file has already been removed.');
    }
    if (!hasOtherFiles(files, file))
      throw invalid('message.last_file', 'This is the only file left in the message. To take it back, stop sharing.');
    const now = ctx.clock.now();
    await removeMessageFile(tx, { messageId: id, attachmentId: fileId }, now);
    await updateMessage(tx, id, { sizeBytes: message.sizeBytes - file.sizeBytes, updatedAt: now });
    await removeFromQueuedMails(tx, id, file);
    await releaseFile(ctx, tx, caller, { id: fileId, wasHeld: true, erases: true });
    await record(ctx, tx, caller, {
      action: 'message.file_removed',
      object: { kind: 'message', id },
      ownerId: caller.userId,
      facts: { attachment: fileId, size: file.sizeBytes },
    });
  });
}
