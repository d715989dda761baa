// Telling people by mail that something about the safety of their account has changed (experience E15), in the same
// transaction as whatever caused it: who, when, and what to do.
import type { Tx } from '../../db/schema/schema.ts';
import type { Caller } from '../../domain/caller.ts';
import { describeAgent } from '../../lib/user-agent.ts';
import type { SecurityEvent } from '../../mail/kinds/security-notice.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../outbox.ts';
import { textWithReferences } from '../transfers/references.ts';

/** `to` is the address in force when it happened, so that a changed one is told to the old. */
export async function queueSecurityNotice(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  notice: {
    event: SecurityEvent;
    userId: string;
    to: string;
    reason?: string;
    account?: string;
    alias?: string;
    transfers?: { count: number; person: string };
  },
): Promise<void> {
  const isOthers = caller.kind === 'user' && caller.userId !== notice.userId;
  const { browser, os } = describeAgent(caller.from.agent);
  await queueMail(ctx, tx, {
    kind: 'security-notice',
    to: notice.to,
    ownerId: notice.userId,
    payload: {
      reference: notice.userId,
      event: notice.event,
      actor: isOthers ? (caller.name === '' ? caller.email : caller.name) : null,
      at: ctx.clock.now(),
      place: null,
      // The device of somebody else is none of the owner's business.
      device: isOthers ? null : [browser, os].filter((part) => part !== '').join(', ') || null,
      // An administrator may have typed the address of a transfer, and others read this mail.
      reason: notice.reason === undefined ? null : await textWithReferences(ctx, notice.reason, tx),
      url: ctx.settings.surroundings.baseUrl,
      ...(notice.account === undefined ? {} : { account: notice.account }),
      ...(notice.alias === undefined ? {} : { alias: notice.alias }),
      ...(notice.transfers === undefined ? {} : { transfers: notice.transfers }),
    },
  });
}
