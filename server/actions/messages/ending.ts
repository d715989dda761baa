// Ends messages. One statement ends access; its transaction releases the files.

import { cancelMailsOfMessage } from '../../db/mail/outbox.ts';
import { listMessageFileIds } from '../../db/messages/message-files.ts';
import { endMessage, lockMessage } from '../../db/messages/messages.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import { eraseFile } from '../attachments/attachments.ts';
import { releaseFile } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { lockSent, sharingStopped } from './changes.ts';

export interface Ending {
  id: string;
  to: 'released' | 'revoked';
  /** Erases unused files immediately instead of after the grace period. */
  erases: boolean;
}

/** False if the message had ended already. */
export async function endMessageFiles(ctx: Ctx, tx: Tx, caller: Caller, ending: Ending): Promise<boolean> {
  const ended = await endMessage(tx, ending.id, ending.to, ctx.clock.now());
  if (ended === null) return false;
  const end = { wasHeld: ended.heldFiles, erases: ending.erases };
  for (const id of await listMessageFileIds(tx, ending.id)) await releaseFile(ctx, tx, caller, { id, ...end });
  return true;
}

/** The API's delete. Also stops running downloads. */
export async function revokeMessage(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    // The lock protects a message that was handed over a moment ago.
    const message = await lockMessage(tx, id);
    if (message === undefined || message.ownerId !== caller.userId) throw notFound('message');
    if (!(await endMessageFiles(ctx, tx, caller, { id, to: 'revoked', erases: true })))
      throw invalid('message.ended', 'The files of this message are gone already.').withValues({ reason: 'files' });
    await recordEnd(ctx, tx, caller, { id, action: 'message.revoked' });
  });
}

/** The files are erased after the grace period. */
export async function stopSharing(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    await lockSent(tx, caller, id);
    if (!(await endMessageFiles(ctx, tx, caller, { id, to: 'revoked', erases: false }))) throw sharingStopped();
    await recordEnd(ctx, tx, caller, { id, action: 'message.revoked' });
  });
}

/** Works on ended messages too. A legal hold retains the bytes, invisibly to the sender. */
export async function deleteMessageFiles(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    await lockSent(tx, caller, id);
    const hasEnded = await endMessageFiles(ctx, tx, caller, { id, to: 'revoked', erases: true });
    let erased = 0;
    for (const fileId of await listMessageFileIds(tx, id)) if (await eraseFile(ctx, tx, caller, fileId)) erased++;
    if (!hasEnded && erased === 0)
      throw invalid('message.files_gone', 'The files of this message are deleted already. Send them again.');
    await recordEnd(ctx, tx, caller, { id, action: 'message.files_deleted' });
  });
}

async function recordEnd(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  end: { id: string; action: 'message.revoked' | 'message.files_deleted' },
): Promise<void> {
  await cancelMailsOfMessage(tx, end.id, kindsWith('reportsPastEvent'), ctx.clock.now());
  await record(ctx, tx, caller, {
    action: end.action,
    object: { kind: 'message', id: end.id },
    ownerId: caller.userId,
  });
}
