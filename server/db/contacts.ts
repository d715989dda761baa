// Queries on the people somebody has written to. They look at the newest entries only, so that they cost the same after
// years.
import type { Query } from './schema.ts';

export interface WrittenTo {
  address: string;
  at: number;
}

/** Recipients of the newest messages somebody sent; an address comes once for each message. */
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

/** Addresses that somebody's newest File Requests went to. */
export async function listRecentlyAsked(db: Query, ownerId: string, limit: number): Promise<WrittenTo[]> {
  return db
    .selectFrom('file_requests')
    .select(['recipient as address', 'created_at as at'])
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}

/** Addresses per statement, within what every engine takes. */
const batchSize = 500;

/** Names of those among these addresses that have an account here. */
export async function findNamesOf(db: Query, addresses: string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let start = 0; start < addresses.length; start += batchSize) {
    const rows = await db
      .selectFrom('users')
      .select(['email', 'name'])
      .where('email', 'in', addresses.slice(start, start + batchSize))
      .where('state', '=', 'active')
      .execute();
    for (const row of rows) names.set(row.email, row.name);
  }
  return names;
}
