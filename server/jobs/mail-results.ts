// What became of a mail after a transport was asked to deliver it: accepted, to be tried again, or failed for good, with
// the server's words. The sender is told of failures, and the timeline of what the mail carried shows all of them.
import type { Ctx } from '../actions/context.ts';
import { record } from '../actions/events.ts';
import { messageUrl } from '../actions/messages/mails.ts';
import { oweMail } from '../actions/outbox.ts';
import { finishSent, finishUnsent, postponeMail } from '../db/outbox.ts';
import type { OutboxTable, Tx } from '../db/schema.ts';
import { findUser } from '../db/users.ts';
import { systemCaller } from '../domain/caller.ts';
import type { MailResult } from '../domain/ports.ts';
import { hasTrait } from '../mail/kinds/all.ts';
import { type DeliveryProblemPayload, problemFrom } from '../mail/kinds/delivery-problem.ts';

/** The right of one process to hand over one mail. */
export interface MailLease {
  id: string;
  endsAt: number;
}

const minuteMs = 60_000;
/** Waits after the first, second, … failed attempt; the last one repeats until 48 hours are over. */
const waitsMs = [1, 5, 15, 60, 120, 240].map((minutes) => minutes * minuteMs);
const giveUpAfterMs = 48 * 60 * minuteMs;

export async function recordResult(ctx: Ctx, row: OutboxTable, lease: MailLease, result: MailResult): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.write(async (tx) => {
    if (result.outcome === 'accepted') {
      if (await finishSent(tx, row.id, result.serverText, now))
        await recordDelivery(ctx, tx, row, { action: 'mail.accepted', words: result.serverText });
      return;
    }
    const isOver = row.created_at + giveUpAfterMs <= now;
    if (result.outcome === 'deferred' && !isOver) {
      const wait = waitsMs[Math.min(row.attempts, waitsMs.length - 1)]!;
      if (await postponeMail(tx, lease, now + wait, result.reason))
        await recordDelivery(ctx, tx, row, { action: 'mail.deferred', words: result.reason });
      return;
    }
    if (!(await finishUnsent(tx, lease, 'failed', result.reason, now))) return;
    await recordDelivery(ctx, tx, row, { action: 'mail.refused', words: result.reason });
    const problem = result.outcome === 'refused' ? problemFrom(result.reason) : 'given-up';
    await tellSender(ctx, tx, row, { problem, serverText: result.reason });
  });
}

/** What became of a mail that a person sent is part of the timeline of what it carried; notices and codes are not. */
async function recordDelivery(
  ctx: Ctx,
  tx: Tx,
  row: OutboxTable,
  news: { action: 'mail.accepted' | 'mail.deferred' | 'mail.refused'; words: string },
): Promise<void> {
  if (!hasTrait(row.kind, 'isSentByPerson')) return;
  await record(ctx, tx, systemCaller, {
    action: news.action,
    object:
      row.message_id === null ? { kind: 'request', id: row.request_id ?? '' } : { kind: 'message', id: row.message_id },
    ownerId: row.owner_id,
    facts: { recipient: row.recipient, kind: row.kind, words: news.words.slice(0, 500) },
  });
}

/** The person in whose name it went is told once; nobody is told of failed notices. */
async function tellSender(
  ctx: Ctx,
  tx: Tx,
  row: OutboxTable,
  failure: Pick<DeliveryProblemPayload, 'problem' | 'serverText'>,
): Promise<void> {
  const owner = hasTrait(row.kind, 'isSentByPerson') ? await findUser(tx, row.owner_id) : undefined;
  if (owner === undefined || owner.email === row.recipient) return;
  const payload = JSON.parse(ctx.keys.openText('mail', row.payload_sealed, row.id)) as { subject?: string };
  await oweMail(ctx, tx, {
    kind: 'delivery-problem',
    to: owner.email,
    ownerId: owner.id,
    ...(row.message_id === null ? {} : { messageId: row.message_id }),
    payload: {
      reference: row.message_id ?? row.request_id ?? row.id,
      recipient: row.recipient,
      subject: payload.subject ?? '',
      ...failure,
      triedHours: Math.round((ctx.clock.now() - row.created_at) / 3_600_000),
      url: row.message_id === null ? ctx.settings.surroundings.baseUrl : messageUrl(ctx, row.message_id),
    },
  });
}
