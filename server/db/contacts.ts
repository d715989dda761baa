// Queries on whom a person wrote to. Bounded by what was sent last, so that they cost the same after years.
import type { Query } from './schema.ts';

/** Addresses of the newest messages somebody sent, each as often as they stood in one. */
export function listRecentRecipients(db: Query, ownerId: string, limit: number) {
  return db
    .selectFrom('messages')
    .innerJoin('message_recipients', 'message_recipients.message_id', 'messages.id')
    .select(['message_recipients.address', 'messages.created_at'])
    .where('messages.owner_id', '=', ownerId)
    .where('messages.origin', '=', 'sent')
    .orderBy('messages.created_at', 'desc')
    .limit(limit)
    .execute();
}

/** Addresses somebody asked for files lately. */
export function listRecentlyAsked(db: Query, ownerId: string, limit: number) {
  return db
    .selectFrom('file_requests')
    .select(['recipient as address', 'created_at'])
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}

/** Names of those among these addresses that have an account here. */
export async function findNamesOf(db: Query, addresses: string[]): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['email', 'name'])
    .where('email', 'in', addresses)
    .where('state', '=', 'active')
    .execute();
  return new Map(rows.map((row) => [row.email, row.name]));
}
