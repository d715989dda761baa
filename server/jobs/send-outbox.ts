// Hands owed mails to the transport (state machine SM7): leases, back-off over 48 hours, the server's words for each
// delivery. The only file that uses a mail transport. At least once: a second time only when the process dies between
// the relay's "accepted" and our commit.
import { findMailLogo } from '../actions/branding/branding.ts';
import type { Ctx } from '../actions/context.ts';
import { collectReceipt } from '../actions/downloads/receipts.ts';
import { record } from '../actions/events.ts';
import { mailLocale } from '../actions/languages.ts';
import { mailPageUrl } from '../actions/mail/pages.ts';
import { mailFrame, messageUrl } from '../actions/messages/mails.ts';
import { oweMail } from '../actions/outbox.ts';
import { findFileRequest } from '../db/file-requests.ts';
import { findMessage } from '../db/messages.ts';
import { finishSent, finishUnsent, keepPayload, leaseMail, listDueMails, postponeMail } from '../db/outbox.ts';
import { findRecipient } from '../db/recipients.ts';
import type { OutboxTable, Tx } from '../db/schema.ts';
import { findUser } from '../db/users.ts';
import { systemCaller } from '../domain/caller.ts';
import type { MailResult, MailTransport, OutgoingMail } from '../domain/ports.ts';
import { hasTrait, isMailKind, type MailKind, type MailPayloads } from '../mail/kinds/all.ts';
import { type DeliveryProblemPayload, problemFrom } from '../mail/kinds/delivery-problem.ts';
import { renderMail } from '../mail/render.ts';
import { type MailSettings, outgoingMail } from './outgoing-mail.ts';
import type { Job } from './runner.ts';

const batchSize = 100;
const atOnce = 5;
const leaseMs = 5 * 60_000;
const minuteMs = 60_000;
/** Waits after the first, second, … failed try; the last one repeats until 48 hours are over. */
const waitsMs = [1, 5, 15, 60, 120, 240].map((minutes) => minutes * minuteMs);
const patienceMs = 48 * 3_600_000;

export function createSendOutbox(transport: MailTransport, settings: MailSettings): Job {
  return {
    name: 'send-outbox',
    everyMs: 1000,
    // A mail that was handed over is recorded, whoever runs the job by then: otherwise it would go out twice.
    hasOwnLeases: true,
    async run(ctx) {
      const most =
        settings.perMinute === 0 ? batchSize : Math.max(1, Math.min(batchSize, Math.floor(settings.perMinute / 60)));
      let sent = 0;
      for (;;) {
        const due = await listDueMails(ctx.db.read, ctx.clock.now(), most);
        for (let start = 0; start < due.length; start += atOnce) {
          await Promise.all(due.slice(start, start + atOnce).map((row) => sendOne(ctx, transport, settings, row)));
        }
        sent += due.length;
        if (due.length < most || settings.perMinute !== 0) return `${sent} mails handled`;
      }
    },
  };
}

interface Lease {
  id: string;
  endsAt: number;
}

async function sendOne(ctx: Ctx, transport: MailTransport, settings: MailSettings, row: OutboxTable): Promise<void> {
  const now = ctx.clock.now();
  const lease: Lease = { id: row.id, endsAt: now + leaseMs };
  const isOurs = await ctx.db.write((tx) => leaseMail(tx, row.id, now, lease.endsAt));
  if (!isOurs) return;
  if (row.expires_at !== null && row.expires_at <= now) return cancel(ctx, lease, 'too late to be of use');
  const ended = await endOf(ctx, row, now);
  if (ended !== null) return cancel(ctx, lease, ended);
  let result: MailResult;
  try {
    const mail = await compose(ctx, settings, row);
    if (mail === null) return cancel(ctx, lease, 'nothing left to tell');
    result = await transport.send(mail);
  } catch (error) {
    // One mail of ours that fails must not hold up the others.
    ctx.log.error({ mail: row.id, kind: row.kind, err: String(error) }, 'a mail could not be composed or handed over');
    result = { outcome: 'deferred', reason: String(error).slice(0, 200) };
  }
  await settle(ctx, row, lease, result);
}

async function cancel(ctx: Ctx, lease: Lease, because: string): Promise<void> {
  await ctx.db.write((tx) => finishUnsent(tx, lease, 'cancelled', because, ctx.clock.now()));
}

/** Why a mail is not worth sending any more: what it is about has ended since it was owed (invariant I28). */
async function endOf(ctx: Ctx, row: OutboxTable, now: number): Promise<string | null> {
  if (row.message_id !== null && !hasTrait(row.kind, 'isToldAfterwards')) {
    const message = await findMessage(ctx.db.read, row.message_id);
    if (message?.state === 'revoked') return 'the message was withdrawn';
    if (message !== undefined && message.expiresAt <= now && hasTrait(row.kind, 'invites'))
      return 'the message has expired';
    if (hasTrait(row.kind, 'carriesAccess')) {
      const recipient = await findRecipient(ctx.db.read, row.message_id, row.recipient);
      if (recipient?.state === 'revoked') return 'the recipient was turned away';
    }
  }
  if (row.request_id !== null && hasTrait(row.kind, 'invites')) {
    const request = await findFileRequest(ctx.db.read, row.request_id);
    if (request !== undefined && (request.state !== 'open' || request.expires_at <= now))
      return 'the request has ended';
  }
  return null;
}

/** Null when there is nothing to send any more. */
async function compose(ctx: Ctx, settings: MailSettings, row: OutboxTable): Promise<OutgoingMail | null> {
  if (!isMailKind(row.kind)) return null;
  const payload =
    row.kind === 'receipt' && row.group_key !== null
      ? await receiptPayload(ctx, row)
      : (JSON.parse(ctx.keys.openText('mail', row.payload_sealed, row.id)) as MailPayloads[MailKind]);
  if (payload === null) return null;
  const locale = await mailLocale(ctx, row.recipient, payload.language);
  const withPage = { ...payload, otherLanguageUrl: mailPageUrl(ctx, row.id) };
  const rendered = renderMail(row.kind, withPage as never, {
    ...mailFrame(ctx, locale),
    logo: await findMailLogo(ctx),
  });
  for (const problem of rendered.templateProblems)
    ctx.log.warn({ kind: row.kind }, `a mail template does not render and was left out: ${problem}`);
  return outgoingMail(ctx, settings, {
    id: row.id,
    to: row.recipient,
    sender: 'sender' in payload ? payload.sender : null,
    rendered,
  });
}

/** What a receipt tells is fixed at its first try, so that a second try tells the same. */
async function receiptPayload(ctx: Ctx, row: OutboxTable): Promise<MailPayloads['receipt'] | null> {
  const kept = JSON.parse(ctx.keys.openText('mail', row.payload_sealed, row.id)) as MailPayloads['receipt'];
  if (kept.downloads.length > 0) return kept;
  return ctx.db.write(async (tx) => {
    const payload = await collectReceipt(ctx, tx, row.group_key!);
    if (payload !== null) await keepPayload(tx, row.id, ctx.keys.sealText('mail', JSON.stringify(payload), row.id));
    return payload;
  });
}

async function settle(ctx: Ctx, row: OutboxTable, lease: Lease, result: MailResult): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.write(async (tx) => {
    if (result.outcome === 'accepted') {
      if (await finishSent(tx, row.id, result.serverText, now))
        await recordDelivery(ctx, tx, row, 'mail.accepted', result.serverText);
      return;
    }
    const isOver = row.created_at + patienceMs <= now;
    if (result.outcome === 'deferred' && !isOver) {
      const wait = waitsMs[Math.min(row.attempts, waitsMs.length - 1)]!;
      if (await postponeMail(tx, lease, now + wait, result.reason))
        await recordDelivery(ctx, tx, row, 'mail.deferred', result.reason);
      return;
    }
    if (!(await finishUnsent(tx, lease, 'failed', result.reason, now))) return;
    await recordDelivery(ctx, tx, row, 'mail.refused', result.reason);
    await tellSender(
      ctx,
      tx,
      row,
      result.outcome === 'refused' ? problemFrom(result.reason) : 'given-up',
      result.reason,
    );
  });
}

/** What became of a mail somebody sent belongs to the story of what it carried. Notices and codes are nobody's news. */
async function recordDelivery(
  ctx: Ctx,
  tx: Tx,
  row: OutboxTable,
  action: 'mail.accepted' | 'mail.deferred' | 'mail.refused',
  serverWords: string,
): Promise<void> {
  if (!hasTrait(row.kind, 'isSentByPerson')) return;
  await record(ctx, tx, systemCaller, {
    action,
    object:
      row.message_id === null ? { kind: 'request', id: row.request_id ?? '' } : { kind: 'message', id: row.message_id },
    ownerId: row.owner_id,
    facts: { recipient: row.recipient, kind: row.kind, words: serverWords.slice(0, 500) },
  });
}

/** The person in whose name it went learns of it, once; failures of notices are told to nobody. */
async function tellSender(
  ctx: Ctx,
  tx: Tx,
  row: OutboxTable,
  problem: DeliveryProblemPayload['problem'],
  serverText: string,
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
      problem,
      triedHours: Math.round((ctx.clock.now() - row.created_at) / 3_600_000),
      serverText,
      url: row.message_id === null ? ctx.settings.surroundings.baseUrl : messageUrl(ctx, row.message_id),
    },
  });
}
