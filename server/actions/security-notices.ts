// Telling people by mail that something about the safety of their account has changed (experience E15).
import type { Tx } from '../db/schema.ts';
import type { UserCaller } from '../domain/caller.ts';
import { describeAgent } from '../lib/user-agent.ts';
import type { SecurityEvent } from '../mail/kinds/security-notice.ts';
import type { Ctx } from './context.ts';
import { oweMail } from './outbox.ts';

/** To the caller, about what they just did themselves. Inside the transaction that did it. */
export async function tellOwner(ctx: Ctx, tx: Tx, caller: UserCaller, event: SecurityEvent): Promise<void> {
  const { browser, os } = describeAgent(caller.from.agent);
  await oweMail(ctx, tx, {
    kind: 'security-notice',
    to: caller.email,
    ownerId: caller.userId,
    payload: {
      reference: caller.userId,
      event,
      actor: null,
      at: ctx.clock.now(),
      place: null,
      device: [browser, os].filter((part) => part !== '').join(', ') || null,
      reason: null,
      url: ctx.settings.surroundings.baseUrl,
    },
  });
}
