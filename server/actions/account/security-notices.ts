// Mails about security changes of an account, queued in the transaction of the change.
import type { Tx } from '../../db/schema/schema.ts';
import type { Caller } from '../../domain/caller.ts';
import { describeAgent } from '../../lib/user-agent.ts';
import type { SecurityEvent } from '../../mail/kinds/security-notice.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../outbox.ts';
import { textWithReferences } from '../transfers/references.ts';

/** `to` is the address before the change, so that the old one is notified of a new one. */
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
  const isByAnotherUser = caller.kind === 'user' && caller.userId !== notice.userId;
  const { browser, os } = describeAgent(caller.from.agent);
  await queueMail(ctx, tx, {
    kind: 'security-notice',
    to: notice.to,
    ownerId: notice.userId,
    payload: {
      reference: notice.userId,
      event: notice.event,
      actor: isByAnotherUser ? (caller.name === '' ? caller.email : caller.name) : null,
      at: ctx.clock.now(),
      place: null,
      // Do not show the actor's device to the account's owner.
      device: isByAnotherUser ? null : [browser, os].filter((part) => part !== '').join(', ') || null,
      // An administrator may have typed the URL of a transfer; this mail reaches other people.
      reason: notice.reason === undefined ? null : await textWithReferences(ctx, notice.reason, tx),
      url: ctx.settings.surroundings.baseUrl,
      ...(notice.account === undefined ? {} : { account: notice.account }),
      ...(notice.alias === undefined ? {} : { alias: notice.alias }),
      ...(notice.transfers === undefined ? {} : { transfers: notice.transfers }),
    },
  });
}
