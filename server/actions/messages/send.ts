// Sending messages: everything is checked first, then one transaction makes the message, its recipients, counters and
// the mails owed, or nothing at all (state machine SM3, invariant I21).
import { type AttachmentRow, findAttachment, holdAttachment } from '../../db/attachments.ts';
import { insertMessage, newRecipient } from '../../db/messages.ts';
import type { MessageRecipientsTable, MessagesTable, Tx } from '../../db/schema.ts';
import { findAccountFacts, findLocalAddresses } from '../../db/users.ts';
import { refuseExtension, refuseUnfinished } from '../../domain/attachments.ts';
import { audiences } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { settleExpiry } from '../../domain/expiry.ts';
import {
  demandPermittedRecipients,
  demandPermittedSize,
  type Message,
  type RecipientLists,
  readRecipients,
  readSubject,
  readText,
  settleAudience,
  settleDownloadLimit,
  settleFlag,
  type TextFormat,
} from '../../domain/messages.ts';
import { invalid } from '../../domain/problem.ts';
import { readEmail } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { createOnce, type IdempotencyKey } from '../idempotency.ts';
import { demandMailAllowance } from '../outbox.ts';
import { messageOf } from './describe.ts';
import { adoptInlineFiles, type InlineFile } from './inline-files.ts';
import { oweMessageMails } from './mails.ts';

export interface NewMessage {
  to: string[];
  cc: string[];
  bcc: string[];
  sender: string | undefined;
  subject: string;
  body: string;
  bodyFormat: TextFormat | undefined;
  expiresOn: string | undefined;
  downloadLimit: number | undefined;
  sendEmail: boolean;
  copyToSender: boolean | undefined;
  isPrivate: boolean | undefined;
  authorization: number | undefined;
  /** Ids of uploaded files, and files that came inside the request; in order. */
  files: (string | InlineFile)[];
  once: IdempotencyKey | null;
}

/** All or nothing: on any refusal no row, no mail, no counter remains; stored bytes of the request are the caller's to erase. */
export async function sendMessage(ctx: Ctx, caller: UserCaller, input: NewMessage): Promise<Message> {
  return createOnce(ctx, caller, input.once, async () => {
    const settled = await settle(ctx, caller, input);
    return (tx) => create(ctx, tx, caller, input, settled);
  });
}

interface Settled {
  recipients: RecipientLists;
  sender: string;
  subject: string;
  text: { body: string; html: string | null };
  audience: (typeof audiences)[number];
  downloadLimit: number | null;
  isPrivate: boolean;
  copyToSender: boolean;
  expiry: { on: string; at: number };
}

/** Every rule of the group that does not need the transaction. */
async function settle(ctx: Ctx, caller: UserCaller, input: NewMessage): Promise<Settled> {
  const { policy } = caller;
  if (!policy.can_use_messages)
    throw invalid('message.not_permitted', "Your group can't send messages. Ask your administrator if you need to.");
  const recipients = readRecipients(input);
  const addresses = [...recipients.to, ...recipients.cc, ...recipients.bcc];
  demandPermittedRecipients(policy, caller.isLocal, addresses, await findLocalAddresses(ctx.db.read, addresses));
  const audience = settleAudience(policy, input.authorization);
  const isPrivate = settleFlag({
    requested: input.isPrivate,
    byDefault: policy.message_default_private_message,
    mayChange: policy.message_can_change_private_message,
    field: 'private_message',
    what: 'whether the text is kept out of the e-mail',
  });
  if (isPrivate && audience === 'anyone') {
    throw invalid(
      'message.private_for_anyone',
      'A private message can not be open to anyone with the link. Choose who may open it.',
      'authorization',
    );
  }
  if (addresses.length === 0 && (audience === 'recipientsOnly' || audience === 'recipientsAndDomains')) {
    throw invalid(
      'message.no_recipients',
      'Add at least one recipient, or choose another authorization.',
      'recipients',
    );
  }
  if (input.sendEmail && addresses.length === 0)
    throw invalid('message.no_recipients', 'Add at least one recipient to send the message to.', 'recipients');
  return {
    recipients,
    audience,
    isPrivate,
    sender: await settleSender(ctx, caller, input.sender),
    subject: readSubject(input.subject),
    text: readText(policy, input.body, input.bodyFormat),
    downloadLimit: settleDownloadLimit(policy, input.downloadLimit),
    copyToSender: settleFlag({
      requested: input.copyToSender,
      byDefault: policy.message_default_bcc_myself,
      mayChange: policy.message_can_change_bcc_myself,
      field: 'bcc_myself',
      what: 'whether you get a copy',
    }),
    expiry: settleExpiry({
      requested: input.expiresOn,
      defaultDays: policy.message_default_expiration,
      maxDays: policy.message_max_expiration,
      mayChange: policy.message_can_change_expiration,
      now: ctx.clock.now(),
      timeZone: ctx.settings.surroundings.timeZone,
      noun: 'message',
    }),
  };
}

/** The caller's own address, or one of the aliases an administrator gave them. */
async function settleSender(ctx: Ctx, caller: UserCaller, requested: string | undefined): Promise<string> {
  const facts = await findAccountFacts(ctx.db.read, caller.userId);
  const fallback = facts === null || facts.defaultSenderAlias === '' ? caller.email : facts.defaultSenderAlias;
  if (requested === undefined || requested === '') return fallback;
  const sender = readEmail(requested, 'sender');
  const permitted = [caller.email, ...(facts?.senderAliases ?? [])];
  if (!permitted.includes(sender))
    throw invalid('message.sender_not_permitted', `You can't send as ${sender}.`, 'sender');
  return sender;
}

async function create(ctx: Ctx, tx: Tx, caller: UserCaller, input: NewMessage, settled: Settled): Promise<Message> {
  const now = ctx.clock.now();
  const id = ctx.random.id();
  if (input.sendEmail) await demandMailAllowance(ctx, tx, caller, Object.values(settled.recipients).flat());
  const files = await bindFiles(ctx, tx, caller, input.files);
  const sizeBytes = files.reduce((sum, file) => sum + file.size_bytes, 0);
  demandPermittedSize(caller.policy, sizeBytes);
  const row: MessagesTable = {
    id,
    owner_id: caller.userId,
    origin: 'sent',
    sender: settled.sender,
    sender_name: caller.name,
    is_sender_confirmed: 1,
    subject_sealed: ctx.keys.sealText('text', settled.subject, `${id}/subject`),
    body_sealed: ctx.keys.sealText('text', settled.text.body, `${id}/body`),
    html_sealed: settled.text.html === null ? null : ctx.keys.sealText('text', settled.text.html, `${id}/html`),
    audience: audiences.indexOf(settled.audience),
    expiry_told_at: null,
    download_limit: settled.downloadLimit,
    is_private: settled.isPrivate ? 1 : 0,
    send_receipts: 1,
    expires_on: settled.expiry.on,
    expires_at: settled.expiry.at,
    size_bytes: sizeBytes,
    state: 'active',
    request_id: null,
    created_at: now,
    updated_at: now,
  };
  const recipients = recipientRows(id, settled.recipients);
  await insertMessage(
    tx,
    row,
    recipients,
    files.map((file) => file.id),
  );
  await record(ctx, tx, caller, {
    action: 'message.sent',
    object: { kind: 'message', id },
    ownerId: caller.userId,
    facts: {
      recipients: Object.values(settled.recipients).flat().length,
      files: files.length,
      size: sizeBytes,
      authorization: row.audience,
      mailed: input.sendEmail,
    },
  });
  const message = messageOf(ctx, row, recipients, files, { showsBcc: true });
  if (input.sendEmail) await oweMessageMails(ctx, tx, message, settled.copyToSender ? caller.email : null);
  return message;
}

function recipientRows(messageId: string, lists: RecipientLists): MessageRecipientsTable[] {
  const roles = [
    ...lists.to.map((address) => ['to', address]),
    ...lists.cc.map((address) => ['cc', address]),
    ...lists.bcc.map((address) => ['bcc', address]),
  ] as ['to' | 'cc' | 'bcc', string][];
  return roles.map(([role, address], position) => newRecipient(messageId, address, role, position));
}

/** Takes hold of uploaded files and makes rows of those that came in the request. */
async function bindFiles(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  files: (string | InlineFile)[],
): Promise<AttachmentRow[]> {
  const bound: AttachmentRow[] = [];
  await adoptInlineFiles(
    ctx,
    tx,
    caller,
    files.filter((file) => typeof file !== 'string'),
  );
  for (const file of files) {
    if (typeof file !== 'string') {
      bound.push((await findAttachment(tx, file.stored.id))!);
      continue;
    }
    if (bound.some((other) => other.id === file)) continue;
    const row = await findAttachment(tx, file);
    if (row === undefined || row.owner_id !== caller.userId || row.source !== '' || row.state === 'erased') {
      throw invalid(
        'message.attachment_unknown',
        'There is no such uploaded file. Upload it first, then use its id.',
        'attachments',
      );
    }
    const refusal =
      refuseUnfinished(row.state, 'attachments') ??
      refuseExtension(caller.policy, ctx.keys.openText('name', row.name_sealed, row.id));
    if (refusal !== null) throw refusal;
    if (!(await holdAttachment(tx, file, caller.userId))) {
      throw invalid(
        'message.attachment_damaged',
        'This file is damaged and can not be sent. Upload it again.',
        'attachments',
      );
    }
    bound.push(row);
  }
  return bound;
}
