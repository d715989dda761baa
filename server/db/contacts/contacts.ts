// Queries on a user's contacts. They read the newest entries only, so they stay fast.
import type { Query } from '../schema/schema.ts';

export interface WrittenTo {
  address: string;
  at: number;
}

/** Recipients of the newest messages; an address comes once for each message. */
export async function listRecentRecipients(db: Query, ownerId: string, limit: number): Promise<WrittenTo[]> {
  return db
    .selectFrom('messages')
    .innerJoin('message_recipients', 'message_recipients.message_id', 'messages.id')
    .select(['message_recipients.address', 'messages.created_at as at'])
    .where('messages.owner_id', '=', ownerId)
    .where('messages.origin', '=', 'sent')
    .orderBy('messages.created_at', 'desc')
    .limit(limit)
    .execute();
}

export async function listRecentlyAsked(db: Query, ownerId: string, limit: number): Promise<WrittenTo[]> {
  return db
    .selectFrom('file_requests')
    .select(['recipient as address', 'created_at as at'])
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}
