// Telling people what happened to their account (E15), in the transaction of its cause: who, when, and what to do.
import type { Tx } from '../db/schema.ts';
import type { Caller } from '../domain/caller.ts';
import type { SecurityEvent } from '../mail/kinds/security-notice.ts';
import type { Ctx } from './context.ts';
import { oweMail } from './outbox.ts';

/** `to` is the address in force when it happened, so that a changed one is told to the old. */
export async function oweSecurityNotice(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  notice: { event: SecurityEvent; userId: string; to: string },
): Promise<void> {
  const isOwn = caller.kind !== 'user' || caller.userId === notice.userId;
  await oweMail(ctx, tx, {
    kind: 'security-notice',
    to: notice.to,
    ownerId: notice.userId,
    payload: {
      reference: notice.userId,
      event: notice.event,
      actor: isOwn ? null : caller.name === '' ? caller.email : caller.name,
      at: ctx.clock.now(),
      place: null,
      device: null,
      reason: null,
      url: ctx.settings.surroundings.baseUrl,
    },
  });
}
