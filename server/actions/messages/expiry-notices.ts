// Mails senders once per expiry date about files that recipients have not downloaded.
import { lockMessage, updateMessage } from '../../db/messages/messages.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { preferencesOf } from '../../db/users/preferences.ts';
import { findUser } from '../../db/users/users.ts';
import { systemCaller } from '../../domain/caller.ts';
import { isEndingSoon } from '../../domain/tracking.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { queueMail } from '../outbox.ts';
import { callerOf } from '../sessions/identities.ts';
import { type Tracker, trackMessage } from './tracker.ts';

/** True if a mail was queued. Later calls for the same expiry date do nothing. */
export function queueExpiryNotice(ctx: Ctx, id: string): Promise<boolean> {
  const now = ctx.clock.now();
  return ctx.db.write(async (tx) => {
    const message = await lockMessage(tx, id);
    if (message === undefined || message.state !== 'active' || message.origin !== 'sent') return false;
    if (message.expiryToldAt !== null || !isEndingSoon(message, now)) return false;
    await updateMessage(tx, id, { expiryToldAt: now });
    const owner = await findUser(tx, message.ownerId);
    if (owner === undefined || owner.state !== 'active') return false;
    if (!(await preferencesOf(tx, owner.id)).hasReminders) return false;
    const caller = callerOf(owner, systemCaller.from);
    const tracker = await trackMessage(ctx, caller, id, tx);
    const waiting = withoutFiles(tracker);
    if (waiting.length === 0) return false;
    await queueNotice(ctx, tx, owner, { tracker, waiting, mayRemind: caller.policy.message_reminders > 0 });
    await record(ctx, tx, systemCaller, {
      action: 'message.expiry_told',
      object: { kind: 'message', id },
      ownerId: owner.id,
      facts: { waiting: waiting.length },
    });
    return true;
  });
}

/** Recipients without every file; empty if unknown. */
function withoutFiles(tracker: Tracker): string[] {
  if (tracker.files.length === 0 || tracker.isCut) return [];
  // A visitor without an address may be any recipient.
  if (tracker.others.some((other) => other.address === '')) return [];
  return tracker.people
    .filter((person) => person.state !== 'done' && person.state !== 'revoked')
    .map((person) => person.address);
}

async function queueNotice(
  ctx: Ctx,
  tx: Tx,
  owner: User,
  { tracker, waiting, mayRemind }: { tracker: Tracker; waiting: string[]; mayRemind: boolean },
): Promise<void> {
  const { message } = tracker;
  const url = `${ctx.settings.surroundings.baseUrl}/app/sent/${message.id}`;
  await queueMail(ctx, tx, {
    kind: 'expiring',
    to: owner.email,
    ownerId: owner.id,
    messageId: message.id,
    expiresAt: message.expiresAt,
    payload: {
      reference: message.id,
      subject: message.subject,
      waiting,
      expiresOn: message.expiresOn,
      remindUrl: mayRemind ? `${url}?remind` : null,
      extendUrl: `${url}?extend`,
    },
  });
}
