// Queries on messages that wait until a second person releases them.
import type { MessageReviewsTable, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const reviews = defineTable<MessageReviewsTable>()(({ plain, sealedText }) => ({
  ...plain('message_id', 'requested_at', 'decided_at', 'decided_by'),
  reason: sealedText('reason_sealed', 'text', 'message_id', (id) => `${id}/review`),
}));

export type MessageReview = ReturnType<typeof reviews.read>;

/** False if somebody decided, or has to, already. */
export async function requestReview(tx: Tx, messageId: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('messages')
    .set({ review_state: 'waiting' })
    .where('id', '=', messageId)
    .where('origin', '=', 'sent')
    .where('state', '=', 'active')
    .where('review_state', 'is', null)
    .executeTakeFirst();
  if (Number(updated.numUpdatedRows) !== 1) return false;
  const review = { messageId, requestedAt: now, decidedAt: null, decidedBy: '', reason: null };
  await tx.insertInto('message_reviews').values(reviews.write(review, tx.keys)).execute();
  return true;
}

/** False if it does not wait any more. */
export async function decideReview(
  tx: Tx,
  messageId: string,
  decision: { state: 'released' | 'refused'; by: string; reason: string; now: number },
): Promise<boolean> {
  const updated = await tx
    .updateTable('messages')
    .set({ review_state: decision.state })
    .where('id', '=', messageId)
    .where('review_state', '=', 'waiting')
    .executeTakeFirst();
  if (Number(updated.numUpdatedRows) !== 1) return false;
  await tx
    .updateTable('message_reviews')
    .set({
      decided_at: decision.now,
      decided_by: decision.by,
      reason_sealed: tx.keys.sealText('text', decision.reason, `${messageId}/review`),
    })
    .where('message_id', '=', messageId)
    .execute();
  return true;
}

export async function findReview(db: Query, messageId: string): Promise<MessageReview | null> {
  const row = await db.selectFrom('message_reviews').selectAll().where('message_id', '=', messageId).executeTakeFirst();
  return row === undefined ? null : reviews.read(row, db.keys);
}

/** Oldest first. */
export async function listWaitingReviews(db: Query, now: number, limit: number) {
  const rows = await db
    .selectFrom('message_reviews')
    .innerJoin('messages', 'messages.id', 'message_reviews.message_id')
    .select(['messages.id', 'messages.owner_id as ownerId', 'messages.sender', 'messages.size_bytes as sizeBytes'])
    .select(['message_reviews.requested_at as requestedAt', 'messages.expires_at as expiresAt'])
    .where('messages.review_state', '=', 'waiting')
    .where('messages.state', '=', 'active')
    .where('messages.expires_at', '>', now)
    .orderBy('message_reviews.requested_at')
    .orderBy('messages.id')
    .limit(limit)
    .execute();
  return rows;
}

/** Sent messages with this file that nobody decided about yet. */
export async function listUnreviewedMessages(
  db: Query,
  attachmentId: string,
): Promise<{ id: string; ownerId: string }[]> {
  return db
    .selectFrom('message_attachments')
    .innerJoin('messages', 'messages.id', 'message_attachments.message_id')
    .select(['messages.id', 'messages.owner_id as ownerId'])
    .where('message_attachments.attachment_id', '=', attachmentId)
    .where('messages.origin', '=', 'sent')
    .where('messages.state', '=', 'active')
    .where('messages.review_state', 'is', null)
    .execute();
}
