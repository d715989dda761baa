// Mails about a message.
import { languageOf } from '#language/locale.ts';
import { listWaitingMails, savePayload } from '../../db/mail/outbox.ts';
import { listRecipients } from '../../db/messages/recipients.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import type { HeldFile, Message } from '../../domain/messages.ts';
import { productName } from '../../domain/settings.ts';
import type { MessagePayload } from '../../mail/kinds/message.ts';
import { type MailFrame, renderEmbeddable } from '../../mail/render.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../outbox.ts';
import { personalUrl } from './personal-links.ts';

export function messageUrl(ctx: Ctx, messageId: string): string {
  return `${ctx.settings.surroundings.baseUrl}/message/${messageId}`;
}

/** The sender's page of the message. */
export function sentUrl(ctx: Ctx, messageId: string): string {
  return `${ctx.settings.surroundings.baseUrl}/app/sent/${messageId}`;
}

/** `plain` and `html` of the API, for callers who send the mail themselves. */
export function embeddable(ctx: Ctx, message: Message) {
  const { plain, html } = renderEmbeddable(
    { ...messagePayload(ctx, message), isPrivate: message.isPrivate },
    mailFrame(ctx),
  );
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return { plain, html, plain64: base64(plain), html64: base64(html) };
}

/** Custom templates are in the installation's language and used only for it. */
export function mailFrame(ctx: Ctx, locale = ctx.settings.surroundings.locale): MailFrame {
  const { locale: siteLocale, timeZone, baseUrl } = ctx.settings.surroundings;
  const { organisationName, branding, mailTemplates } = ctx.settings.current();
  return {
    locale,
    timeZone,
    baseUrl,
    productName,
    organisationName,
    contactAddress: branding.contactAddress,
    ...(branding.colour === null ? {} : { brandColour: branding.colour }),
    footerText: branding.mailFooter,
    templates: languageOf(locale) === languageOf(siteLocale) ? mailTemplates : {},
  };
}

/** One mail per recipient hides Bcc and gives each delivery its own state. */
export async function queueMessageMails(ctx: Ctx, tx: Tx, message: Message, copyTo: string | null): Promise<void> {
  const recipients = [...message.recipients, ...message.ccs, ...(message.bccs ?? [])];
  for (const to of recipients) await queueMessageMail(ctx, tx, message, to);
  if (copyTo === null) return;
  // The language for recipients does not apply to the sender.
  const { language: _, ...payload } = messagePayload(ctx, message);
  await queueMail(ctx, tx, {
    kind: 'copy-to-sender',
    to: copyTo,
    ownerId: message.ownerId,
    messageId: message.id,
    payload: {
      ...payload,
      isPrivate: message.isPrivate,
      url: sentUrl(ctx, message.id),
      sendReceipt: true,
      recipients: (await listRecipients(tx, message.id)).map((recipient) => ({
        address: recipient.address,
        role: recipient.role,
      })),
    },
  });
}

export async function queueMessageMail(ctx: Ctx, tx: Tx, message: Message, to: string): Promise<void> {
  const about = { to, ownerId: message.ownerId, messageId: message.id };
  const url = personalUrl(ctx, message.id, to);
  if (message.isPrivate)
    await queueMail(ctx, tx, { kind: 'private-message', ...about, payload: { ...privatePayload(ctx, message), url } });
  else await queueMail(ctx, tx, { kind: 'message', ...about, payload: { ...messagePayload(ctx, message), url } });
}

/** Expires with the message. */
export async function queueReminder(ctx: Ctx, tx: Tx, message: Message, to: string): Promise<void> {
  const { body: _, ...payload } = messagePayload(ctx, message);
  await queueMail(ctx, tx, {
    kind: 'reminder',
    to,
    ownerId: message.ownerId,
    messageId: message.id,
    expiresAt: message.expiresAt,
    payload: { ...payload, url: personalUrl(ctx, message.id, to), isPrivate: message.isPrivate },
  });
}

export function messagePayload(ctx: Ctx, message: Message): MessagePayload {
  return {
    reference: message.id,
    ...languageOfMails(message),
    sender: { name: message.senderName, address: message.sender },
    subject: message.subject,
    body: message.body,
    bodyHtml: message.bodyHtml,
    files: message.files.map((file) => ({ name: file.fileName, sizeBytes: file.sizeBytes, sha256: file.sha256 })),
    url: messageUrl(ctx, message.id),
    expiresOn: message.expiresOn,
    audience: message.effectiveAudience,
    recipientCount: message.recipientCount,
    downloadLimit: message.downloadLimit,
  };
}

/** For a removed file. */
export async function removeFromQueuedMails(tx: Tx, messageId: string, file: HeldFile): Promise<void> {
  for (const mail of await listWaitingMails(tx, messageId)) {
    const payload: Partial<MessagePayload> = mail.openPayload();
    const index = payload.files?.findIndex(
      ({ name, sizeBytes }) => name === file.fileName && sizeBytes === file.sizeBytes,
    );
    if (index === undefined || index < 0) continue;
    await savePayload(tx, mail.id, { ...payload, files: payload.files!.toSpliced(index, 1) });
  }
}

function languageOfMails({ mailLanguage }: Message): { language?: string } {
  return mailLanguage === '' ? {} : { language: mailLanguage };
}

function privatePayload(ctx: Ctx, message: Message) {
  return {
    reference: message.id,
    ...languageOfMails(message),
    sender: { name: message.senderName, address: message.sender },
    url: messageUrl(ctx, message.id),
    expiresOn: message.expiresOn,
    audience: message.effectiveAudience,
    recipientCount: message.recipientCount,
  };
}

export async function queueReadNotice(ctx: Ctx, tx: Tx, message: Message, reader: string): Promise<void> {
  const owner = await findUser(tx, message.ownerId);
  if (owner === undefined) return;
  await queueMail(ctx, tx, {
    kind: 'read-notice',
    to: owner.email,
    ownerId: message.ownerId,
    messageId: message.id,
    payload: {
      reference: message.id,
      reader,
      subject: message.subject,
      readAt: ctx.clock.now(),
      url: sentUrl(ctx, message.id),
    },
  });
}
