// Changes to a whole sent message by its sender.
import { listMessageFileIds } from '../../db/messages/message-files.ts';
import { lockMessage, updateMessage } from '../../db/messages/messages.ts';
import { findRecipient, updateRecipientLimit } from '../../db/messages/recipients.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type Expiry, resolveExpiry } from '../../domain/expiry.ts';
import {
  limitFor,
  type MessageHead,
  messageStateAt,
  readRecipient,
  resolveDownloadLimit,
} from '../../domain/messages.ts';
import { invalid, notFound, type Problem } from '../../domain/problem.ts';
import { dateInWords } from '../../lib/dates.ts';
import { holdAgain } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

/** Locks the caller's own sent message until the transaction ends. */
export async function lockSent(tx: Tx, caller: UserCaller, id: string): Promise<MessageHead> {
  const message = await lockMessage(tx, id);
  if (message === undefined || message.ownerId !== caller.userId || message.origin !== 'sent')
    throw notFound('message');
  return message;
}

/** Returns the message. */
export function requireOpen(ctx: Ctx, message: MessageHead): MessageHead {
  const state = messageStateAt(message, ctx.clock.now());
  if (state === 'revoked') throw sharingStopped();
  if (state === 'expired')
    throw invalid('message.expired', 'This message has expired. Extend it first.').withValues({ reader: 'sender' });
  return message;
}

export function sharingStopped(): Problem {
  return invalid('message.ended', 'Sharing was stopped. Send the files again in a new message.').withValues({
    reason: 'stopped',
  });
}

/** Also renews an expired message while its files are stored. */
export async function extendMessage(ctx: Ctx, caller: UserCaller, id: string, expiresOn: string): Promise<void> {
  const { policy } = caller;
  await ctx.db.write(async (tx) => {
    const message = await lockSent(tx, caller, id);
    if (message.state === 'revoked') throw sharingStopped();
    const expiry = resolveExpiry({
      input: expiresOn,
      defaultDays: policy.message_default_expiration,
      maxDays: policy.message_max_expiration,
      mayChange: policy.message_can_change_expiration,
      now: ctx.clock.now(),
      timeZone: ctx.settings.surroundings.timeZone,
      noun: 'message',
    });
    if (expiry.on <= message.expiresOn)
      throw invalid(
        'message.not_later',
        `This message is available until ${dateInWords(message.expiresOn)}. Choose a later date.`,
        'expires_at',
      ).withValues({ date: { date: message.expiresOn } });
    await moveLastDay(ctx, tx, message, expiry);
    await record(ctx, tx, caller, {
      action: 'message.extended',
      object: { kind: 'message', id },
      ownerId: caller.userId,
      facts: { from: message.expiresOn, to: expiry.on },
    });
  });
}

export async function moveLastDay(ctx: Ctx, tx: Tx, message: MessageHead, expiry: Expiry): Promise<void> {
  if (message.state === 'released') await holdFilesAgain(tx, message);
  await updateMessage(tx, message.id, {
    expiresOn: expiry.on,
    expiresAt: expiry.at,
    // A new date gets its own notice.
    expiryToldAt: null,
    state: 'active',
    updatedAt: ctx.clock.now(),
  });
}

/** A refusal rolls back all files. */
async function holdFilesAgain(tx: Tx, message: MessageHead): Promise<void> {
  for (const fileId of await listMessageFileIds(tx, message.id)) {
    if (!(await holdAgain(tx, fileId)))
      throw invalid('message.files_gone', 'The files of this message are deleted already. Send them again.');
  }
}

/** For all recipients, or for `address`. */
export async function allowMoreDownloads(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  input: { limit: number; address?: string | undefined },
): Promise<void> {
  const address = input.address === undefined ? null : readRecipient(input.address, 'address');
  await ctx.db.write(async (tx) => {
    const message = await lockSent(tx, caller, id);
    requireOpen(ctx, message);
    const limit = resolveDownloadLimit(caller.policy, input.limit);
    if (address === null) {
      assertIncrease(message.downloadLimit, limit);
      await updateMessage(tx, id, { downloadLimit: limit, updatedAt: ctx.clock.now() });
    } else await raiseRecipientLimit(tx, message, address, limit);
    await record(ctx, tx, caller, {
      action: 'message.downloads_allowed',
      object: { kind: 'message', id },
      ownerId: caller.userId,
      facts: { limit, ...(address === null ? {} : { recipient: address }) },
    });
  });
}

async function raiseRecipientLimit(tx: Tx, message: MessageHead, address: string, limit: number | null): Promise<void> {
  if (message.audience === 'anyone')
    throw invalid(
      'message.limit_is_shared',
      'Everyone with the link shares one limit. Raise it for everyone.',
      'address',
    );
  const person = await findRecipient(tx, message.id, address);
  if (person === undefined || person.state !== 'active') throw unknownRecipient();
  if (limit === null)
    throw invalid('message.bad_limit', 'Say how many downloads this person should have.', 'expires_after');
  assertIncrease(limitFor(message.downloadLimit, person.downloadLimit), limit);
  await updateRecipientLimit(tx, { messageId: message.id, address }, limit);
}

function assertIncrease(current: number | null, next: number | null): void {
  if (current === null)
    throw invalid('message.not_more', 'Downloads are already unlimited.', 'expires_after').withValues({ n: 0 });
  if (next !== null && next <= current)
    throw invalid(
      'message.not_more',
      `${current === 1 ? '1 download is' : `${current} downloads are`} allowed already. Choose more.`,
      'expires_after',
    ).withValues({ n: current });
}

export function unknownRecipient(): Problem {
  return notFound('recipient', 'This message does not go to that address.');
}
