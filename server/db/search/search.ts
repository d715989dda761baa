// Queries for searching what a user sent.
import type { MessageHead } from '../../domain/messages.ts';
import { openSubject } from '../messages/messages.ts';
import { listRecipientsOf } from '../messages/recipients.ts';
import type { Query } from '../schema/schema.ts';

export interface SentForSearch extends Pick<MessageHead, 'id' | 'createdAt' | 'state' | 'expiresAt'> {
  subject: string;
  /** All recipients. */
  people: string[];
}

export async function listSentForSearch(
  db: Query,
  ownerId: string,
  page: { offset: number; limit: number },
): Promise<SentForSearch[]> {
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'subject_sealed', 'created_at', 'state', 'expires_at'])
    .where('owner_id', '=', ownerId)
    .where('origin', '=', 'sent')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const recipients = await listRecipientsOf(
    db,
    messages.map((message) => message.id),
  );
  return messages.map((message) => ({
    id: message.id,
    subject: openSubject(db.keys, message),
    people: (recipients.get(message.id) ?? []).map((recipient) => recipient.address),
    createdAt: message.created_at,
    state: message.state,
    expiresAt: message.expires_at,
  }));
}
