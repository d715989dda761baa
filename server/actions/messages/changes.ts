// What a sender does about a whole message after sending it: more time, more downloads, the end. Owner only; each is one
// transaction with its event, and none needs a new upload.
import { holdAttachment } from '../../db/attachments.ts';
import {
  findRecipient,
  listMessageFiles,
  lockMessage,
  type MessageRow,
  updateMessage,
  updateRecipient,
} from '../../db/messages.ts';
import { cancelMailsOfMessage } from '../../db/outbox.ts';
import type { Tx } from '../../db/schema.ts';
import { audiences } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { settleExpiry } from '../../domain/expiry.ts';
import { limitFor, readRecipient, settleDownloadLimit } from '../../domain/messages.ts';
import { invalid, notFound, type Problem } from '../../domain/problem.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import { eraseFile } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { endMessageFiles } from './access.ts';

/** The caller's own sent message, held until the transaction ends; everybody else learns nothing. */
export async function lockSent(tx: Tx, caller: UserCaller, id: string): Promise<MessageRow> {
  const row = await lockMessage(tx, id);
  if (row === undefined || row.owner_id !== caller.userId || row.origin !== 'sent') throw notFound('message');
  return row;
}

export function demandOpen(ctx: Ctx, row: MessageRow): void {
  if (row.state === 'revoked') throw sharingStopped();
  if (row.state === 'released' || row.expires_at <= ctx.clock.now())
    throw invalid('message.expired', 'This message has expired. Extend it first.');
}

function sharingStopped(): Problem {
  return invalid('message.ended', 'Sharing was stopped. Send the files again in a new message.');
}

/** Moves the last day, also of an expired message while its files are stored (security D22). */
export async function extendMessage(ctx: Ctx, caller: UserCaller, id: string, expiresOn: string): Promise<void> {
  const { policy } = caller;
  await ctx.db.write(async (tx) => {
    const row = await lockSent(tx, caller, id);
    if (row.state === 'revoked') throw sharingStopped();
    const expiry = settleExpiry({
      requested: expiresOn,
      defaultDays: policy.message_default_expiration,
      maxDays: policy.message_max_expiration,
      mayChange: policy.message_can_change_expiration,
      now: ctx.clock.now(),
      timeZone: ctx.settings.surroundings.timeZone,
      noun: 'message',
    });
    if (expiry.on <= row.expires_on)
      throw invalid(
        'message.not_later',
        `This message is available until ${row.expires_on}. Choose a later date.`,
        'expires_at',
      );
    if (row.state === 'released') await holdFilesAgain(tx, row);
    await updateMessage(tx, id, {
      expires_on: expiry.on,
      expires_at: expiry.at,
      // The new last day is told of anew.
      expiry_told_at: null,
      state: 'active',
      updated_at: ctx.clock.now(),
    });
    await record(ctx, tx, caller, {
      action: 'message.extended',
      object: { kind: 'message', id },
      ownerId: caller.userId,
      facts: { from: row.expires_on, to: expiry.on },
    });
  });
}

/** All of them or none: the transaction ends with the refusal. */
async function holdFilesAgain(tx: Tx, row: MessageRow): Promise<void> {
  for (const file of await listMessageFiles(tx, row.id)) {
    if (!(await holdAttachment(tx, file.id, row.owner_id)))
      throw invalid('message.files_gone', 'The files of this message are deleted already. Send them again.');
  }
}

/** Raises the download limit, for everybody or for one person. */
export async function allowMoreDownloads(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  wanted: { limit: number; address: string | undefined },
): Promise<void> {
  const address = wanted.address === undefined ? null : readRecipient(wanted.address, 'address');
  await ctx.db.write(async (tx) => {
    const row = await lockSent(tx, caller, id);
    demandOpen(ctx, row);
    const limit = settleDownloadLimit(caller.policy, wanted.limit);
    if (address === null) {
      demandMore(row.download_limit, limit);
      await updateMessage(tx, id, { download_limit: limit, updated_at: ctx.clock.now() });
    } else await allowOnePerson(tx, row, address, limit);
    await record(ctx, tx, caller, {
      action: 'message.downloads_allowed',
      object: { kind: 'message', id },
      ownerId: caller.userId,
      facts: { limit, ...(address === null ? {} : { recipient: address }) },
    });
  });
}

async function allowOnePerson(tx: Tx, row: MessageRow, address: string, limit: number | null): Promise<void> {
  if (audiences[row.audience] === 'anyone')
    throw invalid(
      'message.limit_is_shared',
      'Everybody with the link shares one limit. Raise it for everybody.',
      'address',
    );
  const person = await findRecipient(tx, row.id, address);
  if (person === undefined || person.state !== 'active') throw unknownRecipient();
  if (limit === null)
    throw invalid('message.bad_limit', 'Say how many downloads this person should have.', 'expires_after');
  demandMore(limitFor(row.download_limit, person.download_limit), limit);
  await updateRecipient(tx, row.id, address, { download_limit: limit });
}

function demandMore(now: number | null, wanted: number | null): void {
  if (now === null) throw invalid('message.not_more', 'There is no limit on downloads already.', 'expires_after');
  if (wanted !== null && wanted <= now)
    throw invalid('message.not_more', `${now} downloads are allowed already. Choose more.`, 'expires_after');
}

export function unknownRecipient(): Problem {
  return notFound('recipient', 'This message does not go to that address.');
}

/** Nobody gets in any more, at once; the files go after the time of grace (security D22). */
export async function stopSharing(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    await lockSent(tx, caller, id);
    if (!(await endMessageFiles(ctx, tx, caller, id, 'revoked', { erases: false }))) throw sharingStopped();
    await cancelMailsOfMessage(tx, id, kindsWith('isToldAfterwards'), ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'message.revoked',
      object: { kind: 'message', id },
      ownerId: caller.userId,
    });
  });
}

/** The end of the message, and of every file nothing else holds. Also after it has expired or was stopped. */
export async function deleteMessageFiles(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    await lockSent(tx, caller, id);
    const hasEnded = await endMessageFiles(ctx, tx, caller, id, 'revoked');
    let erased = 0;
    for (const file of await listMessageFiles(tx, id)) if (await eraseFile(ctx, tx, caller, file.id)) erased++;
    if (!hasEnded && erased === 0) throw invalid('message.files_gone', 'The files of this message are gone already.');
    await cancelMailsOfMessage(tx, id, kindsWith('isToldAfterwards'), ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'message.files_deleted',
      object: { kind: 'message', id },
      ownerId: caller.userId,
    });
  });
}
