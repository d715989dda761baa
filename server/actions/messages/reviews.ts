// Four eyes: messages that a second person, who is not the sender, releases or refuses.
import { cancelMailsOfMessage } from '../../db/mail/outbox.ts';
import { listFilesOf } from '../../db/messages/message-files.ts';
import {
  decideReview,
  requestReview as insertReview,
  listUnreviewedMessages,
  listWaitingReviews,
} from '../../db/messages/reviews.ts';
import { type FileScan, findScans, sendMailsOfMessage, setScanState } from '../../db/scanning/file-scans.ts';
import { endQuarantine, listHeldOfMessage } from '../../db/scanning/quarantine.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import { type Caller, systemCaller, type UserCaller } from '../../domain/caller.ts';
import type { HeldFile } from '../../domain/messages.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { holds, requireRight } from '../../domain/roles.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { findActable, listReachable } from '../transfers/transfers.ts';
import { requireReason } from '../users/access.ts';
import { endMessageFiles } from './ending.ts';

const mostListed = 200;

/** Nobody but the sender gets it until somebody decides. */
export async function requestReview(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, ownerId }: { id: string; ownerId: string },
): Promise<void> {
  if (!(await insertReview(tx, id, ctx.clock.now()))) return;
  await record(ctx, tx, caller, { action: 'message.review_requested', object: { kind: 'message', id }, ownerId });
}

/** After the first verdict that holds a file. */
export async function requestReviewsOfHeld(ctx: Ctx, tx: Tx, attachmentId: string): Promise<void> {
  for (const message of await listUnreviewedMessages(tx, attachmentId)) {
    const owner = await findUser(tx, message.ownerId);
    if (owner?.policy.message_review === 'held') await requestReview(ctx, tx, systemCaller, message);
  }
}

/** Without texts. Of people below the caller's rank. */
export async function listReviews(ctx: Ctx, caller: UserCaller) {
  requireRight(caller, 'console.read');
  const waiting = await listWaitingReviews(ctx.db.read, ctx.clock.now(), mostListed);
  const ids = waiting.map(({ id }) => id);
  const transfers = await listReachable(ctx, caller, ids);
  const files = await listFilesOf(ctx.db.read, ids);
  const held = [...files.values()].flat().filter(({ scanState }) => scanState === 'held');
  const scans = await findScans(
    ctx.db.read,
    held.map(({ attachmentId }) => attachmentId),
  );
  const requestedAt = new Map(waiting.map((review) => [review.id, review.requestedAt]));
  return transfers
    .map((transfer) => ({
      transfer,
      requestedAt: requestedAt.get(transfer.id) ?? 0,
      isOwn: transfer.owner.id === caller.userId,
      files: (files.get(transfer.id) ?? []).map((file) => describeFile(file, scans.get(file.attachmentId))),
    }))
    .sort((one, other) => one.requestedAt - other.requestedAt);
}

function describeFile({ fileName, sizeBytes, scanState }: HeldFile, scan: FileScan | undefined) {
  const { verdict = '', reason = '', signature = '' } = scan ?? {};
  return {
    fileName,
    sizeBytes,
    scanState,
    verdict: verdict === '' || verdict === 'clean' ? null : verdict,
    reason,
    signature,
  } as const;
}

/** That the caller may decide about. */
export async function countReviews(ctx: Ctx, caller: UserCaller): Promise<number> {
  if (!holds(caller, 'console.change')) return 0;
  const waiting = await listWaitingReviews(ctx.db.read, ctx.clock.now(), mostListed);
  const others = waiting.filter(({ ownerId }) => ownerId !== caller.userId).map(({ id }) => id);
  return (await listReachable(ctx, caller, others)).length;
}

export interface ReviewDecision {
  to: 'released' | 'refused';
  reason: string;
}

/** Releasing also releases its held files, but never infected ones. Refusing withdraws the message. */
export async function decideMessage(ctx: Ctx, caller: UserCaller, id: string, decision: ReviewDecision): Promise<void> {
  requireRight(caller, 'console.change');
  const reason = requireReason(decision.reason);
  await ctx.db.write(async (tx) => {
    const { ownerId } = await findActable(ctx, tx, caller, id);
    if (ownerId === caller.userId)
      throw new Problem('forbidden', 'review.own_message', 'Somebody else has to decide about your own message.');
    const now = ctx.clock.now();
    if (!(await decideReview(tx, id, { state: decision.to, by: caller.userId, reason, now })))
      throw invalid('review.not_waiting', 'This message does not wait for a decision any more.');
    if (decision.to === 'released') await release(ctx, tx, caller, id);
    else {
      await endMessageFiles(ctx, tx, caller, { id, to: 'revoked', erases: false });
      await cancelMailsOfMessage(tx, id, kindsWith('reportsPastEvent'), now);
    }
    await record(ctx, tx, caller, {
      action: decision.to === 'released' ? 'message.review_released' : 'message.review_refused',
      object: { kind: 'message', id },
      ownerId,
      facts: { reason },
    });
  });
}

async function release(ctx: Ctx, tx: Tx, caller: UserCaller, id: string): Promise<void> {
  const now = ctx.clock.now();
  for (const { attachmentId, quarantineId, verdict } of await listHeldOfMessage(tx, id)) {
    if (verdict === 'infected') continue;
    await endQuarantine(tx, quarantineId, { by: caller.userId, now });
    await setScanState(tx, attachmentId, 'free');
  }
  await sendMailsOfMessage(tx, id, now);
}
