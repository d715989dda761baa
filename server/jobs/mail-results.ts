// Records the result of a delivery attempt in the timeline; failures notify the sender.
import type { Ctx } from '../actions/context.ts';
import { record } from '../actions/events.ts';
import { sentUrl } from '../actions/messages/mails.ts';
import { queueMail } from '../actions/outbox.ts';
import { finishSent, finishUnsent, type MailHold, postponeMail, type QueuedMail } from '../db/mail/outbox.ts';
import type { Tx } from '../db/schema/schema.ts';
import { findUser } from '../db/users/users.ts';
import { systemCaller } from '../domain/caller.ts';
import { waitingForSetup } from '../domain/mail-settings.ts';
import type { MailResult } from '../domain/ports.ts';
import { hasTrait } from '../mail/kinds/all.ts';
import { type DeliveryProblemPayload, problemFrom } from '../mail/kinds/delivery-problem.ts';

const minuteMs = 60_000;
/** The last delay repeats until 48 hours are over. */
const waitsMs = [1, 5, 15, 60, 120, 240].map((minutes) => minutes * minuteMs);
const giveUpAfterMs = 48 * 60 * minuteMs;
/** How long a mail waits for a mail server, and how often it is checked whether it is still needed. */
const holdForMs = 30 * 24 * 60 * minuteMs;
const holdCheckMs = 240 * minuteMs;

/** There is no mail server yet. */
export interface Held {
  outcome: 'held';
}
export const held: Held = { outcome: 'held' };

export async function recordResult(
  ctx: Ctx,
  mail: QueuedMail,
  lease: MailHold,
  result: MailResult | Held,
): Promise<void> {
  const now = ctx.clock.now();
  if (result.outcome === 'held') return hold(ctx, mail, lease, now);
  await ctx.db.write(async (tx) => {
    if (result.outcome === 'accepted') {
      if (await finishSent(tx, mail.id, result.serverText, now))
        await recordDelivery(ctx, tx, mail, { action: 'mail.accepted', words: result.serverText });
      return;
    }
    // A mail may have waited that long for a mail server, without an attempt.
    const isOver = mail.createdAt + giveUpAfterMs <= now && mail.attempts >= waitsMs.length;
    if (result.outcome === 'deferred' && !isOver) {
      const wait = Math.max(waitsMs[Math.min(mail.attempts, waitsMs.length - 1)]!, result.waitMs ?? 0);
      if (await postponeMail(tx, lease, now + wait, result.reason))
        await recordDelivery(ctx, tx, mail, { action: 'mail.deferred', words: result.reason });
      return;
    }
    if (!(await finishUnsent(tx, lease, { state: 'failed', reason: result.reason, now }))) return;
    await recordDelivery(ctx, tx, mail, { action: 'mail.refused', words: result.reason });
    const problem = result.outcome === 'refused' ? problemFrom(result.reason) : 'given-up';
    await notifySender(ctx, tx, mail, { problem, serverText: result.reason });
  });
}

async function hold(ctx: Ctx, mail: QueuedMail, lease: MailHold, now: number): Promise<void> {
  await ctx.db.write(async (tx) => {
    if (mail.createdAt + holdForMs > now) await postponeMail(tx, lease, now + holdCheckMs, waitingForSetup);
    else await finishUnsent(tx, lease, { state: 'cancelled', reason: 'mail was not set up within 30 days', now });
  });
}

/** Only mails that a person sent appear in a timeline. */
async function recordDelivery(
  ctx: Ctx,
  tx: Tx,
  mail: QueuedMail,
  event: { action: 'mail.accepted' | 'mail.deferred' | 'mail.refused'; words: string },
): Promise<void> {
  if (!hasTrait(mail.kind, 'isSentByPerson')) return;
  await record(ctx, tx, systemCaller, {
    action: event.action,
    object:
      mail.messageId === null ? { kind: 'request', id: mail.requestId ?? '' } : { kind: 'message', id: mail.messageId },
    ownerId: mail.ownerId,
    facts: { recipient: mail.recipient, kind: mail.kind, words: event.words.slice(0, 500) },
  });
}

/** Failed notices are not reported. */
async function notifySender(
  ctx: Ctx,
  tx: Tx,
  mail: QueuedMail,
  failure: Pick<DeliveryProblemPayload, 'problem' | 'serverText'>,
): Promise<void> {
  const owner = hasTrait(mail.kind, 'isSentByPerson') ? await findUser(tx, mail.ownerId) : undefined;
  if (owner === undefined || owner.state !== 'active' || owner.email === mail.recipient) return;
  const payload = mail.openPayload() as { subject?: string };
  await queueMail(ctx, tx, {
    kind: 'delivery-problem',
    to: owner.email,
    ownerId: owner.id,
    ...(mail.messageId === null ? {} : { messageId: mail.messageId }),
    payload: {
      reference: mail.messageId ?? mail.requestId ?? mail.id,
      recipient: mail.recipient,
      subject: payload.subject ?? '',
      ...failure,
      triedHours: Math.round((ctx.clock.now() - mail.createdAt) / 3_600_000),
      url: mail.messageId === null ? ctx.settings.surroundings.baseUrl : sentUrl(ctx, mail.messageId),
    },
  });
}
