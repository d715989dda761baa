// Hands a transfer over to a new owner, with its files. Both people are notified.
import { lockMessage } from '../../db/messages/messages.ts';
import { markRecipientRevoked, putRecipient } from '../../db/messages/recipients.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findConfirmedAt } from '../../db/transfers/hand-over-confirmations.ts';
import {
  changeOwner,
  findOtherHolder,
  listTransferFiles,
  markReceived,
  moveFile,
} from '../../db/transfers/transfer-owners.ts';
import { findUser, lockUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { TransferHead } from '../../domain/transfers.ts';
import { displayName, type User } from '../../domain/users.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { accessMs, listWithAccess } from '../users/account-access.ts';
import { findVisible } from '../users/rights.ts';
import { changed, reasonFact, stopped } from './changes.ts';
import { findActable, objectKindOf } from './transfers.ts';

export interface HandOverInput {
  /** Id or address of the new owner. */
  to: string;
  reason: string;
}

export async function handOverTransfer(ctx: Ctx, caller: UserCaller, id: string, input: HandOverInput): Promise<void> {
  requireRight(caller, 'console.change');
  await ctx.db.write(async (tx) => {
    const newOwner = await findNewOwner(ctx, caller, input.to);
    const from = await handOver(ctx, tx, caller, { id, newOwner, reason: input.reason });
    await notifyOwners(ctx, tx, caller, { fromId: from, newOwner, count: 1, reason: input.reason });
  });
}

/** Refuses accounts that the caller does not manage, or could use. */
export async function findNewOwner(ctx: Ctx, caller: UserCaller, to: string): Promise<User> {
  if (to.trim() === '') throw invalid('transfer.no_heir', 'Say who gets it.', 'to');
  const newOwner = await findVisible(ctx.db.read, caller, to.trim());
  if (newOwner.state !== 'active') throw newOwnerDisabled();
  assertNotSelf(caller, newOwner);
  await assertNoAccess(ctx, caller, newOwner);
  return newOwner;
}

export function assertNotSelf(caller: UserCaller, newOwner: User): void {
  if (newOwner.id !== caller.userId) return;
  throw invalid(
    'transfer.new_owner_self',
    'You can’t hand transfers over to yourself. Choose someone else, or ask another administrator.',
    'to',
  );
}

/** A confirmation lifts this for one day, unless an administrator got access since. */
async function assertNoAccess(ctx: Ctx, caller: UserCaller, newOwner: User): Promise<void> {
  const access = await listWithAccess(ctx, ctx.db.read, caller, newOwner);
  if (access.length === 0) return;
  const confirmedAt = await findConfirmedAt(ctx.db.read, caller.userId, newOwner.id);
  const isRecent = confirmedAt !== null && confirmedAt > ctx.clock.now() - accessMs;
  if (isRecent && access.every(({ at }) => at <= confirmedAt)) return;
  throw invalid(
    'transfer.new_owner_accessible',
    'An administrator could sign in to this account: they created it, set its password or e-mail address, or read its API key. Wait 24 hours and until the person has changed the password, or ask another System Administrator to confirm.',
    'to',
  );
}

function newOwnerDisabled(): Problem {
  return invalid('transfer.heir_off', 'This account is switched off. Choose someone else.', 'to');
}

export function assertPossibleOwner(owner: Pick<User, 'id' | 'isLocal'>, newOwner: User): void {
  if (owner.id === newOwner.id) throw invalid('transfer.same_person', 'It belongs to this person already.', 'to');
  if (owner.isLocal && !newOwner.isLocal)
    throw invalid('transfer.heir_outside', 'Transfers of colleagues can be handed over to colleagues only.', 'to');
}

/** Returns the id of the former owner. */
export async function handOver(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { id, newOwner, reason }: { id: string; newOwner: User; reason: string },
): Promise<string> {
  const transfer = await findActable(ctx, tx, caller, id);
  if (transfer.state === 'stopped') throw stopped();
  const { ownerId: from, kind } = transfer;
  const owner = await findUser(tx, from);
  assertPossibleOwner({ id: from, isLocal: owner?.isLocal !== false }, newOwner);
  // A fixed lock order prevents deadlocks.
  for (const userId of [from, newOwner.id].sort()) await lockUser(tx, userId);
  // The new owner may have been deleted since the lookup.
  if ((await findUser(tx, newOwner.id))?.state !== 'active') throw newOwnerDisabled();
  if (!(await changeOwner(tx, transfer, newOwner.id, ctx.clock.now()))) throw changed();
  if (kind === 'answer' || kind === 'drop') await readdress(ctx, tx, transfer, { owner, newOwner });
  await moveFiles(tx, transfer, newOwner.id);
  const object = { kind: objectKindOf(transfer), id } as const;
  const facts = { from, to: newOwner.id, ...reasonFact(reason) };
  await record(ctx, tx, caller, { action: 'transfer.handed_over', object, ownerId: from, facts });
  await record(ctx, tx, caller, { action: 'transfer.taken_over', object, ownerId: newOwner.id, facts });
  return from;
}

/** A submission is addressed to its owner. */
async function readdress(
  ctx: Ctx,
  tx: Tx,
  transfer: TransferHead,
  { owner, newOwner }: { owner: User | undefined; newOwner: User },
): Promise<void> {
  const message = (await lockMessage(tx, transfer.id))!;
  if (owner !== undefined)
    await markRecipientRevoked(tx, { messageId: message.id, address: owner.email }, newOwner.email, ctx.clock.now());
  const person = { address: newOwner.email, role: 'to', position: 0 } as const;
  await putRecipient(tx, { id: message.id, sentAt: message.createdAt }, person);
}

/** A file moves with the last of the old owner's transfers that use it. The new owner is not its uploader. */
async function moveFiles(tx: Tx, transfer: TransferHead, to: string): Promise<void> {
  for (const fileId of await listTransferFiles(tx, transfer)) {
    await markReceived(tx, fileId);
    if ((await findOtherHolder(tx, fileId, to)) === null) await moveFile(tx, fileId, to);
  }
}

export async function notifyOwners(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  notice: { fromId: string; newOwner: User; count: number; reason: string },
): Promise<void> {
  const { newOwner, count } = notice;
  const from = await findUser(tx, notice.fromId);
  const more = notice.reason === '' ? {} : { reason: notice.reason };
  if (from !== undefined)
    await queueSecurityNotice(ctx, tx, caller, {
      event: 'transfers-handed-over',
      userId: from.id,
      to: from.email,
      transfers: { count, person: displayName(newOwner) },
      ...more,
    });
  await queueSecurityNotice(ctx, tx, caller, {
    event: 'transfers-taken-over',
    userId: newOwner.id,
    to: newOwner.email,
    transfers: { count, person: from === undefined ? '' : displayName(from) },
    ...more,
  });
}
