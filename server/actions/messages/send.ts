// Sending messages: everything is checked first, then one transaction makes the message, its recipients, counters and
// the mails owed, or nothing at all (state machine SM3, invariant I21).
import type { NamedAddress } from '../../db/contact-names.ts';
import { insertMessage, type MessageDraft } from '../../db/messages.ts';
import type { Tx } from '../../db/schema.ts';
import { findAccountFacts, findLocalAddresses } from '../../db/users.ts';
import { unprovenAddress } from '../../domain/addresses.ts';
import type { StoredFile } from '../../domain/attachments.ts';
import { type Audience, levelOf } from '../../domain/audience.ts';
import { switchedOff, type UserCaller } from '../../domain/caller.ts';
import { settleExpiry } from '../../domain/expiry.ts';
import {
  demandPermittedRecipients,
  demandPermittedSize,
  type HeldFile,
  type Message,
  type MessageTexts,
  type RecipientLists,
  readRecipients,
  readSubject,
  readText,
  settleAudience,
  settleDownloadLimit,
  type TextFormat,
} from '../../domain/messages.ts';
import { invalid } from '../../domain/problem.ts';
import { settleSwitch } from '../../domain/switches.ts';
import { readEmail } from '../../domain/users.ts';
import { holdOwnFile } from '../attachments/holding.ts';
import { rememberNames } from '../contacts/names.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { createOnce, type IdempotencyKey } from '../idempotency.ts';
import { readLanguage } from '../languages.ts';
import { demandMailAllowance } from '../outbox.ts';
import { messageOf } from './describe.ts';
import { adoptInlineFiles, heldFileOf, type InlineFile } from './inline-files.ts';
import { oweMessageMails } from './mails.ts';

export interface NewMessage {
  to: string[];
  cc: string[];
  bcc: string[];
  /** What the sender calls these people. */
  names: NamedAddress[];
  sender: string | undefined;
  subject: string;
  body: string;
  bodyFormat: TextFormat | undefined;
  expiresOn: string | undefined;
  downloadLimit: number | undefined;
  sendEmail: boolean;
  /** Of the mails, for people whose own language is not known. */
  language: string | undefined;
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
    return (tx) => create(ctx, tx, caller, settled);
  });
}

/** A message that is in order as far as the group's rules go. */
interface Settled {
  input: NewMessage;
  recipients: RecipientLists;
  sender: string;
  texts: MessageTexts;
  audience: Audience;
  downloadLimit: number | null;
  isPrivate: boolean;
  mailLanguage: string;
  copyToSender: boolean;
  expiry: { on: string; at: number };
}

/** Every rule of the group that does not need the transaction. */
async function settle(ctx: Ctx, caller: UserCaller, input: NewMessage): Promise<Settled> {
  const { policy } = caller;
  if (!policy.can_use_messages)
    throw invalid('message.not_permitted', 'Your group can’t send messages. Ask your administrator if you need to.');
  const recipients = readRecipients(input);
  const addresses = [...recipients.to, ...recipients.cc, ...recipients.bcc];
  demandPermittedRecipients(policy, addresses, await findLocalAddresses(ctx.db.read, addresses));
  const audience = settleAudience(policy, input.authorization);
  const isPrivate = settleSwitch({
    noun: 'message',
    requested: input.isPrivate,
    byDefault: policy.message_default_private_message,
    mayChange: policy.message_can_change_private_message,
    field: 'private_message',
    what: 'whether the text is kept out of the e-mail',
  });
  if (isPrivate && audience === 'anyone') {
    throw invalid(
      'message.private_for_anyone',
      'A private message cannot be open to anyone with the link. Choose who may open it.',
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
    input,
    recipients,
    audience,
    isPrivate,
    mailLanguage: input.language === undefined || input.language === '' ? '' : readLanguage(input.language),
    sender: await settleSender(ctx, caller, input.sender),
    texts: { subject: readSubject(input.subject), ...readText(policy, input.body, input.bodyFormat) },
    downloadLimit: settleDownloadLimit(policy, input.downloadLimit),
    copyToSender: settleSwitch({
      noun: 'message',
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

/** The caller's own address, or one of the aliases an administrator gave them, as far as they act (security D10). */
async function settleSender(ctx: Ctx, caller: UserCaller, requested: string | undefined): Promise<string> {
  const facts = await findAccountFacts(ctx.db.read, caller.userId);
  if (facts === null) throw switchedOff();
  if (requested === undefined || requested === '') {
    if (facts.defaultSenderAlias !== '') return facts.defaultSenderAlias;
    return facts.actingEmail ?? refuseUnproven(caller.email);
  }
  const sender = readEmail(requested, 'sender');
  if (facts.unprovenAddresses.includes(sender)) refuseUnproven(sender);
  if (sender !== caller.email && !facts.senderAliases.includes(sender))
    throw invalid('message.sender_not_permitted', `You can’t send as ${sender}.`, 'sender').withValues({
      address: sender,
    });
  return sender;
}

function refuseUnproven(address: string): never {
  throw unprovenAddress(address, 'sender');
}

async function create(ctx: Ctx, tx: Tx, caller: UserCaller, settled: Settled): Promise<Message> {
  const { input, texts } = settled;
  const people = peopleOf(settled.recipients);
  const addresses = people.map((person) => person.address);
  if (input.sendEmail) await demandMailAllowance(ctx, tx, caller, addresses);
  const files = await bindFiles(ctx, tx, caller, input.files);
  const draft = draftOf(ctx, caller, settled, files);
  demandPermittedSize(caller.policy, draft.sizeBytes);
  const { head, recipients } = await insertMessage(tx, draft);
  await rememberNames(ctx, tx, caller, { names: input.names, addresses });
  await record(ctx, tx, caller, {
    action: 'message.sent',
    object: { kind: 'message', id: head.id },
    ownerId: caller.userId,
    facts: {
      recipients: addresses.length,
      files: files.length,
      size: head.sizeBytes,
      authorization: levelOf(head.audience),
      mailed: input.sendEmail,
    },
  });
  const message = messageOf({ head, texts, recipients, files }, { showsBcc: true, now: head.createdAt });
  if (input.sendEmail) await oweMessageMails(ctx, tx, message, settled.copyToSender ? caller.email : null);
  return message;
}

function draftOf(ctx: Ctx, caller: UserCaller, settled: Settled, files: HeldFile[]): MessageDraft {
  return {
    id: ctx.random.id(),
    ownerId: caller.userId,
    origin: 'sent',
    requestId: null,
    sender: settled.sender,
    senderName: caller.name,
    isSenderConfirmed: true,
    ...settled.texts,
    audience: settled.audience,
    downloadLimit: settled.downloadLimit,
    isPrivate: settled.isPrivate,
    sendsReceipts: true,
    mailLanguage: settled.mailLanguage,
    expiresOn: settled.expiry.on,
    expiresAt: settled.expiry.at,
    sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    now: ctx.clock.now(),
    recipients: peopleOf(settled.recipients),
    attachmentIds: files.map((file) => file.attachmentId),
  };
}

function peopleOf(lists: RecipientLists): MessageDraft['recipients'] {
  return (['to', 'cc', 'bcc'] as const).flatMap((role) => lists[role].map((address) => ({ role, address })));
}

/** Takes hold of uploaded files and makes rows of those that came in the request. */
async function bindFiles(ctx: Ctx, tx: Tx, caller: UserCaller, files: (string | InlineFile)[]): Promise<HeldFile[]> {
  const bound: HeldFile[] = [];
  await adoptInlineFiles(
    ctx,
    tx,
    caller,
    files.filter((file) => typeof file !== 'string'),
  );
  for (const file of files) {
    if (typeof file !== 'string') bound.push(heldFileOf(file));
    else if (!bound.some((other) => other.attachmentId === file))
      bound.push(heldOf(await holdOwnFile(tx, caller, file, 'message')));
  }
  return bound;
}

function heldOf({ id, fileName, sizeBytes, contentType, sha256, crc32, state }: StoredFile): HeldFile {
  return { attachmentId: id, fileName, sizeBytes, contentType, sha256, crc32, state };
}
