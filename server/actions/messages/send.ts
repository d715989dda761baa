// Sends messages: checks all rules, then creates everything in one transaction.
import type { NamedAddress } from '../../db/contacts/contact-names.ts';
import { insertMessage, type MessageDraft } from '../../db/messages/messages.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { StoredFile } from '../../domain/attachments.ts';
import { levelOf } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import {
  assertPermittedSize,
  type HeldFile,
  isReviewed,
  type Message,
  type RecipientLists,
} from '../../domain/messages.ts';
import type { MessageSend } from '../../domain/sends.ts';
import { plainExtensionOf } from '../../lib/file-name.ts';
import { holdOwnFiles } from '../attachments/holding.ts';
import { rememberNames } from '../contacts/names.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { createOnce, type IdempotencyKey } from '../idempotency.ts';
import { requireMailAllowance } from '../outbox.ts';
import { rememberSend } from '../policy/sends.ts';
import { openRules } from '../rules.ts';
import { scanStateOfNew } from '../scanning/requests.ts';
import { nameTransfer } from '../transfers/references.ts';
import { messageOf } from './describe.ts';
import { adoptInlineFiles, heldFileOf, type InlineFile } from './inline-files.ts';
import { queueMessageMails } from './mails.ts';
import { requestReview } from './reviews.ts';
import { type MessageInput, type MessageSettings, resolveMessage } from './rules.ts';

export interface NewMessage extends MessageInput {
  names: NamedAddress[];
  /** Ids of uploaded files, and files from the request, in order. */
  files: (string | InlineFile)[];
  once: IdempotencyKey | null;
}

/** After a refusal the caller erases the stored bytes of the request. */
export async function sendMessage(ctx: Ctx, caller: UserCaller, input: NewMessage): Promise<Message> {
  return createOnce(ctx, caller, input.once, async () => {
    const rules = openRules();
    const settings = rules.require(await resolveMessage(ctx, caller, input, rules));
    return (tx) => create(ctx, tx, caller, { ...settings, input });
  });
}

interface ResolvedMessage extends MessageSettings {
  input: NewMessage;
}

async function create(ctx: Ctx, tx: Tx, caller: UserCaller, resolved: ResolvedMessage): Promise<Message> {
  const { input, texts } = resolved;
  const people = peopleOf(resolved.recipients);
  const addresses = people.map((person) => person.address);
  if (input.sendEmail) await requireMailAllowance(ctx, tx, caller, addresses);
  const files = await bindFiles(ctx, tx, caller, input.files);
  const draft = draftOf(ctx, caller, resolved, files);
  assertPermittedSize(caller.policy, draft.sizeBytes);
  const { head, recipients } = await insertMessage(tx, draft);
  await nameTransfer(ctx, tx, head.id);
  await rememberNames(ctx, tx, caller, { names: input.names, addresses });
  await rememberSend(ctx, tx, caller, { id: head.id, facts: factsOf(resolved, files) });
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
  if (
    isReviewed(
      caller.policy,
      files.some(({ scanState }) => scanState === 'held'),
    )
  )
    await requestReview(ctx, tx, caller, { id: head.id, ownerId: caller.userId });
  const message = messageOf(
    { message: { ...head, ...texts }, recipients, files },
    { showsBcc: true, now: head.createdAt },
  );
  if (input.sendEmail) await queueMessageMails(ctx, tx, message, resolved.copyToSender ? caller.email : null);
  return message;
}

/** Without the group's defaults. */
function factsOf({ input, recipients, localAddresses, texts }: ResolvedMessage, files: HeldFile[]): MessageSend {
  return {
    kind: 'message',
    ...recipients,
    localAddresses,
    files: files.map(({ fileName, sizeBytes }) => ({ extension: plainExtensionOf(fileName), sizeBytes })),
    isMailed: input.sendEmail,
    isFormatted: texts.bodyHtml !== null,
    format: input.bodyFormat,
    expiresOn: input.expiresOn,
    downloadLimit: input.downloadLimit,
    copyToSender: input.copyToSender,
    isPrivate: input.isPrivate,
    authorization: input.authorization,
  };
}

function draftOf(ctx: Ctx, caller: UserCaller, resolved: ResolvedMessage, files: HeldFile[]): MessageDraft {
  return {
    id: ctx.random.id(),
    ownerId: caller.userId,
    origin: 'sent',
    requestId: null,
    sender: resolved.sender,
    senderName: caller.name,
    isSenderConfirmed: true,
    ...resolved.texts,
    audience: resolved.audience,
    downloadLimit: resolved.downloadLimit,
    isPrivate: resolved.isPrivate,
    sendsReceipts: true,
    mailLanguage: resolved.mailLanguage,
    expiresOn: resolved.expiry.on,
    expiresAt: resolved.expiry.at,
    sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    now: ctx.clock.now(),
    recipients: peopleOf(resolved.recipients),
    attachmentIds: files.map((file) => file.attachmentId),
  };
}

function peopleOf(lists: RecipientLists): MessageDraft['recipients'] {
  return (['to', 'cc', 'bcc'] as const).flatMap((role) => lists[role].map((address) => ({ role, address })));
}

/** A file id given twice counts once. */
async function bindFiles(ctx: Ctx, tx: Tx, caller: UserCaller, files: (string | InlineFile)[]): Promise<HeldFile[]> {
  const inline = files.filter((file) => typeof file !== 'string');
  await adoptInlineFiles(ctx, tx, caller, inline);
  const order = [...new Set(files)];
  const uploaded = order.filter((file) => typeof file === 'string');
  const held = (await holdOwnFiles(tx, caller, uploaded, 'message')).values();
  return order.map((file) =>
    typeof file === 'string' ? heldOf(held.next().value!) : heldFileOf(file, scanStateOfNew(ctx, caller)),
  );
}

function heldOf(file: StoredFile): HeldFile {
  const { id, fileName, sizeBytes, contentType, sha256, crc32, state, scanState, isFromOutside } = file;
  return { attachmentId: id, fileName, sizeBytes, contentType, sha256, crc32, state, scanState, isFromOutside };
}
