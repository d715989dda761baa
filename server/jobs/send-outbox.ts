// Sends queued mails, each under its own lease. A duplicate needs a crash between the relay's acceptance and the
// commit.
import { findMailLogo } from '../actions/branding/branding.ts';
import type { Ctx } from '../actions/context.ts';
import { collectReceipt } from '../actions/downloads/receipts.ts';
import { mailLocale } from '../actions/languages.ts';
import { noticeUrl } from '../actions/mail/notices.ts';
import { mailPageUrl } from '../actions/mail/pages.ts';
import { mailFrame } from '../actions/messages/mails.ts';
import { textWithReferences } from '../actions/transfers/references.ts';
import { findFileRequest } from '../db/file-requests/file-requests.ts';
import {
  delayMails,
  findCopyToSender,
  finishUnsent,
  hasHeldMails,
  listDueMails,
  type QueuedMail,
  releaseHeldMails,
  savePayload,
} from '../db/mail/outbox.ts';
import { listMessageFiles } from '../db/messages/message-files.ts';
import { findMessage } from '../db/messages/messages.ts';
import { findRecipient } from '../db/messages/recipients.ts';
import { listUnscannedMessages } from '../db/scanning/file-scans.ts';
import { findUser } from '../db/users/users.ts';
import { requestAt, type StoredRequest } from '../domain/file-requests.ts';
import type { MailSettings } from '../domain/mail-settings.ts';
import type { MessageHead } from '../domain/messages.ts';
import type { MailResult, MailTransport, OutgoingMail } from '../domain/ports.ts';
import { counted } from '../lib/counted.ts';
import type { MailFile } from '../mail/blocks.ts';
import { hasTrait, isMailKind, type MailKind, type MailPayloads, mailKinds } from '../mail/kinds/all.ts';
import type { MailPerson } from '../mail/kinds/kind.ts';
import { withoutOwnAddresses } from '../mail/own-addresses.ts';
import { renderMail } from '../mail/render.ts';
import type { Job } from './job.ts';
import { type MailLease, takeMailLease } from './mail-lease.ts';
import { claimMails } from './mail-rate.ts';
import { type Held, held, recordResult } from './mail-results.ts';
import { messageIdOf, outgoingMail } from './outgoing-mail.ts';

const batchSize = 100;
const atOnce = 5;

export function createSendOutbox(transport: MailTransport, settingsInForce: () => MailSettings): Job {
  let wasReal = false;
  return {
    name: 'send-outbox',
    everyMs: 1000,
    // A delivered mail MUST be recorded even after losing the job, or it would be sent twice.
    hasOwnLeases: true,
    async run(ctx) {
      const settings = settingsInForce();
      const { perMinute } = settings;
      if (transport.isReal && !wasReal && (await hasHeldMails(ctx.db.read)))
        await ctx.db.write((tx) => releaseHeldMails(tx, ctx.clock.now()));
      wasReal = transport.isReal;
      let sent = 0;
      for (;;) {
        const waiting = await listSendable(ctx);
        const due = waiting.slice(0, await claimMails(ctx, perMinute, waiting.length));
        for (let start = 0; start < due.length; start += atOnce) {
          await Promise.all(due.slice(start, start + atOnce).map((mail) => sendOne(ctx, transport, settings, mail)));
        }
        sent += due.length;
        if (due.length < batchSize) return `${counted(sent, 'mail')} handled`;
      }
    },
  };
}

const filesRetryMs = 10_000;

/** Mails about files that the virus scanner has not passed wait. */
async function listSendable(ctx: Ctx): Promise<QueuedMail[]> {
  const now = ctx.clock.now();
  const due = await listDueMails(ctx.db.read, Object.keys(mailKinds), now, batchSize);
  const announcing = due.filter(({ kind, messageId }) => messageId !== null && hasTrait(kind, 'waitsForFiles'));
  const messageIds = [...new Set(announcing.map(({ messageId }) => messageId!))];
  const unscanned = await listUnscannedMessages(ctx.db.read, messageIds, now);
  const delayed = new Set(announcing.filter(({ messageId }) => unscanned.has(messageId!)).map(({ id }) => id));
  if (delayed.size > 0) await ctx.db.write((tx) => delayMails(tx, [...delayed], now + filesRetryMs));
  return due.filter(({ id }) => !delayed.has(id));
}

/** Recipients are not told about a file that is held. */
async function withoutHeldFiles<Payload extends object>(
  ctx: Ctx,
  mail: QueuedMail,
  payload: Payload,
): Promise<Payload> {
  if (mail.messageId === null || !hasTrait(mail.kind, 'waitsForFiles') || !('files' in payload)) return payload;
  const held = (await listMessageFiles(ctx.db.read, mail.messageId)).filter((file) => file.scanState === 'held');
  if (held.length === 0) return payload;
  const isHeld = (listed: MailFile) =>
    held.some((file) => file.fileName === listed.name && file.sizeBytes === listed.sizeBytes);
  return { ...payload, files: (payload.files as MailFile[]).filter((listed) => !isHeld(listed)) };
}

async function sendOne(ctx: Ctx, transport: MailTransport, settings: MailSettings, mail: QueuedMail): Promise<void> {
  const lease = await takeMailLease(ctx, mail.id);
  if (lease === null) return;
  try {
    await sendLeased(ctx, lease, { transport, settings, mail });
  } finally {
    await lease.settle();
  }
}

interface Sending {
  transport: MailTransport;
  settings: MailSettings;
  mail: QueuedMail;
}

async function sendLeased(ctx: Ctx, lease: MailLease, { transport, settings, mail }: Sending): Promise<void> {
  const now = ctx.clock.now();
  if (mail.expiresAt !== null && mail.expiresAt <= now) return cancel(ctx, lease, 'too late to be of use');
  const about = await readAbout(ctx, mail);
  const ended = await endOf(ctx, mail, about, now);
  if (ended !== null) return cancel(ctx, lease, ended);
  let result: MailResult | Held;
  try {
    if (await isSenderOff(ctx, mail, about)) result = { outcome: 'deferred', reason: 'the sender is switched off' };
    else {
      const composed = await compose(ctx, settings, mail);
      if (composed === null) return cancel(ctx, lease, 'nothing left to tell');
      // The file of a waiting mail is written once.
      result = transport.isReal || mail.attempts === 0 ? await transport.send(composed) : held;
      if (!transport.isReal && result.outcome === 'accepted') result = held;
    }
  } catch (error) {
    const err = await withoutSecrets(ctx, String(error));
    ctx.log.error({ mail: mail.id, kind: mail.kind, err }, 'a mail could not be composed or handed over');
    result = { outcome: 'deferred', reason: err.slice(0, 200) };
  }
  await lease.settle();
  await recordResult(ctx, mail, lease, result.outcome === 'held' ? result : await withoutSecretWords(ctx, result));
}

/** The server's text may quote the mail. */
async function withoutSecretWords(ctx: Ctx, result: MailResult): Promise<MailResult> {
  return result.outcome === 'accepted'
    ? { ...result, serverText: await withoutSecrets(ctx, result.serverText) }
    : { ...result, reason: await withoutSecrets(ctx, result.reason) };
}

function withoutSecrets(ctx: Ctx, text: string): Promise<string> {
  return textWithReferences(ctx, withoutOwnAddresses(text, ctx.settings.surroundings.baseUrl));
}

async function cancel(ctx: Ctx, lease: MailLease, because: string): Promise<void> {
  await ctx.db.write((tx) => finishUnsent(tx, lease, { state: 'cancelled', reason: because, now: ctx.clock.now() }));
}

interface About {
  message: MessageHead | null;
  request: StoredRequest | null;
}

async function readAbout(ctx: Ctx, { kind, messageId, requestId }: QueuedMail): Promise<About> {
  const { read } = ctx.db;
  const isOpen = messageId !== null && !hasTrait(kind, 'reportsPastEvent');
  return {
    message: isOpen ? ((await findMessage(read, messageId)) ?? null) : null,
    request: requestId !== null && hasTrait(kind, 'invites') ? await findFileRequest(read, requestId) : null,
  };
}

/** A reason, or null if the mail is still needed. */
async function endOf(ctx: Ctx, mail: QueuedMail, { message, request }: About, now: number): Promise<string | null> {
  if (message !== null) {
    if (message.state === 'revoked') return 'the message was withdrawn';
    const isOverAfterwards = hasTrait(mail.kind, 'invites') || hasTrait(mail.kind, 'waitsForFiles');
    if (message.expiresAt <= now && isOverAfterwards) return 'the message has expired';
    if (hasTrait(mail.kind, 'carriesAccess')) {
      const recipient = await findRecipient(ctx.db.read, message.id, mail.recipient);
      if (recipient?.state === 'revoked') return 'the recipient was turned away';
    }
  }
  return request !== null && requestAt(request, now).state !== 'open' ? 'the request has ended' : null;
}

/** The link would not open. The account may be enabled, or its transfers handed over. */
async function isSenderOff(ctx: Ctx, { kind }: QueuedMail, { message, request }: About): Promise<boolean> {
  const ownerId = hasTrait(kind, 'invites') ? (message ?? request)?.ownerId : undefined;
  const owner = ownerId === undefined ? undefined : await findUser(ctx.db.read, ownerId);
  return owner !== undefined && owner.state !== 'active';
}

async function compose(ctx: Ctx, settings: MailSettings, mail: QueuedMail): Promise<OutgoingMail | null> {
  if (!isMailKind(mail.kind)) return null;
  const payload =
    mail.kind === 'receipt' && mail.groupKey !== null
      ? await receiptPayload(ctx, mail)
      : (mail.openPayload() as MailPayloads[MailKind]);
  if (payload === null) return null;
  const locale = await mailLocale(ctx, mail.recipient, payload.language);
  const { notice, headerClass } = mailKinds[mail.kind];
  const thread = headerClass === 'receipt' ? await threadOf(ctx, settings, mail) : null;
  const whole = {
    ...(await withoutHeldFiles(ctx, mail, payload)),
    otherLanguageUrl: mailPageUrl(ctx, mail.id),
    ...(thread === null ? {} : { threadMessageId: thread }),
  };
  const rendered = renderMail(mail.kind, whole as never, {
    ...mailFrame(ctx, locale),
    logo: await findMailLogo(ctx),
    ...(notice === undefined ? {} : { listUnsubscribeUrl: noticeUrl(ctx, mail.ownerId, notice) }),
  });
  for (const problem of rendered.templateProblems)
    ctx.log.warn({ kind: mail.kind }, `a mail template does not render and was left out: ${problem}`);
  return outgoingMail(ctx, settings, {
    id: mail.id,
    to: mail.recipient,
    sender: (payload as { sender?: MailPerson }).sender ?? null,
    rendered,
  });
}

/** Notices about a message reply to its sender's copy. */
async function threadOf(ctx: Ctx, settings: MailSettings, mail: QueuedMail): Promise<string | null> {
  if (mail.messageId === null || mail.kind === 'copy-to-sender') return null;
  const copy = await findCopyToSender(ctx.db.read, mail.messageId);
  return copy?.recipient === mail.recipient ? messageIdOf(settings, copy.id) : null;
}

/** Fixed at the first attempt, so that retries are equal. */
async function receiptPayload(ctx: Ctx, mail: QueuedMail): Promise<MailPayloads['receipt'] | null> {
  const kept = mail.openPayload() as MailPayloads['receipt'];
  if (kept.downloads.length > 0) return kept;
  return ctx.db.write(async (tx) => {
    const payload = await collectReceipt(ctx, tx, mail.groupKey!);
    if (payload !== null) await savePayload(tx, mail.id, payload);
    return payload;
  });
}
