// Reads one message.
import { countReading } from '../../db/downloads/download-counters.ts';
import { findWholeMessage } from '../../db/messages/messages.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import type { Message } from '../../domain/messages.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { findMessageAccess, gateOfMessage, identityOf, type MessageAccess } from './access.ts';
import { describeMessage, withoutPrivateText } from './describe.ts';
import { queueReadNotice } from './mails.ts';

/** For the API. Counts nothing. */
export async function getMessage(ctx: Ctx, caller: UserCaller, id: string): Promise<Message> {
  const db = ctx.db.read;
  const now = ctx.clock.now();
  const found = await findWholeMessage(db, id);
  if (found === undefined) throw notFound('message');
  if (found.ownerId === caller.userId) return describeMessage(db, found, { showsBcc: true, now });
  const { gate } = await gateOfMessage(db, found, await identityOf(ctx, caller), now);
  if (gate !== 'allow') throw notFound('message');
  return withoutPrivateText(await describeMessage(db, found, { showsBcc: false, now }), caller.userId);
}

/** Counts like "Read message" on the page. */
export async function readMessage(ctx: Ctx, caller: UserCaller, id: string): Promise<Message> {
  const access = await findMessageAccess(ctx, id, await identityOf(ctx, caller), caller.userId);
  if (access === null || (access.gate !== 'allow' && !access.isOwner)) throw notFound('message');
  if (access.message.isPrivate && !access.isOwner) await readPrivateMessage(ctx, caller, access);
  return access.message;
}

/** Counts like a download and notifies the sender once. */
export async function readPrivateMessage(ctx: Ctx, caller: Caller, access: MessageAccess): Promise<void> {
  const { message, admission } = access;
  if (admission.verdict !== 'allow' || !message.isPrivate) throw notFound('message');
  await ctx.db.write(async (tx) => {
    const reading = await countReading(tx, {
      messageId: message.id,
      identity: admission.identity,
      limit: access.downloadLimit,
      now: ctx.clock.now(),
    });
    if (reading === null)
      throw new Problem('gone', 'message.used_up', 'This message was opened as often as its sender permits.');
    if (!reading.isFirst) return;
    await record(ctx, tx, caller, {
      action: 'message.read',
      object: { kind: 'message', id: message.id },
      ownerId: message.ownerId,
      facts: { recipient: admission.identity },
    });
    await queueReadNotice(ctx, tx, message, admission.address);
  });
}
