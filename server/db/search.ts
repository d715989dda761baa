// Queries for looking through what a person sent.
import type { Query } from './schema.ts';

/** Messages somebody sent, newest first, with everybody they went to. */
export async function listSentForSearch(db: Query, ownerId: string, offset: number, limit: number) {
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'subject_sealed', 'created_at', 'state', 'expires_at'])
    .where('owner_id', '=', ownerId)
    .where('origin', '=', 'sent')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const people = new Map<string, string[]>();
  if (messages.length > 0) {
    const ids = messages.map((message) => message.id);
    const rows = await db
      .selectFrom('message_recipients')
      .select(['message_id', 'address'])
      .where('message_id', 'in', ids)
      .orderBy('message_id')
      .orderBy('position')
      .execute();
    for (const row of rows) {
      const addresses = people.get(row.message_id) ?? [];
      addresses.push(row.address);
      people.set(row.message_id, addresses);
    }
  }
  return messages.map((message) => ({ ...message, people: people.get(message.id) ?? [] }));
}
