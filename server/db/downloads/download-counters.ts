// Queries on downloads and readings of a message that are limited. Each count is one conditional statement, so
// concurrent requests cannot exceed the limit.
import { sql } from 'kysely';
import { limitFor } from '../../domain/messages.ts';
import type { Query, Tx } from '../schema/schema.ts';

/** How often one person may download each file; null for no limit. `identity` is '' where all share one counter. */
export async function findDownloadLimit(db: Query, messageId: string, identity: string): Promise<number | null> {
  const row = await db
    .selectFrom('messages')
    .leftJoin('message_recipients', (join) =>
      join.onRef('message_recipients.message_id', '=', 'messages.id').on('message_recipients.address', '=', identity),
    )
    .select(['messages.download_limit as general', 'message_recipients.download_limit as own'])
    .where('messages.id', '=', messageId)
    .executeTakeFirst();
  return row === undefined ? null : limitFor(row.general, row.own);
}

export interface Counters {
  messageId: string;
  attachmentIds: string[];
  identity: string;
}

/**
 * Counts one download of each file that has one left, and returns how many files that were. A caller that needs all
 * compares the number and rolls back.
 */
export async function spendDownloads(tx: Tx, counters: Counters, limit: number | null): Promise<number[]> {
  if (limit !== null && limit < 1) return [];
  const { messageId, attachmentIds, identity } = counters;
  const rows = await tx
    .insertInto('counters')
    // Sorted, so that two requests for the same files cannot deadlock.
    .values(attachmentIds.toSorted().map((id) => ({ message_id: messageId, attachment_id: id, identity, used: 1 })))
    .onConflict((conflict) => {
      const counted = conflict
        .columns(['message_id', 'attachment_id', 'identity'])
        .doUpdateSet({ used: (eb) => eb('counters.used', '+', 1) });
      return limit === null ? counted : counted.where('counters.used', '<', limit);
    })
    .returning('used')
    .execute();
  return rows.map((row) => row.used);
}

/** Gives one download of each file back, when no byte was sent. */
export async function refundDownloads(tx: Tx, counters: Counters): Promise<void> {
  await tx
    .updateTable('counters')
    .set((eb) => ({ used: eb('used', '-', 1) }))
    .where('message_id', '=', counters.messageId)
    .where('attachment_id', 'in', counters.attachmentIds)
    .where('identity', '=', counters.identity)
    .where('used', '>', 0)
    .execute();
}

export async function findUsedDownloads(db: Query, messageId: string, identity: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('counters')
    .select(['attachment_id', 'used'])
    .where('message_id', '=', messageId)
    .where('identity', '=', identity)
    .execute();
  return new Map(rows.map((row) => [row.attachment_id, row.used]));
}

/** Downloads of every file of a message by all who have a counter. */
export async function listCounters(
  db: Query,
  messageId: string,
): Promise<{ attachmentId: string; identity: string; used: number }[]> {
  return db
    .selectFrom('counters')
    .select(['attachment_id as attachmentId', 'identity', 'used'])
    .where('message_id', '=', messageId)
    .execute();
}

/** The counter of readings has this instead of the id of a file. */
const readings = '';

/**
 * Counts one opening of a private message, limited like downloads, and marks recipients as having read it. Null when
 * none is left.
 */
export async function countReading(
  tx: Tx,
  reading: { messageId: string; identity: string; limit: number | null; now: number },
): Promise<{ isFirst: boolean } | null> {
  const { messageId, identity, limit, now } = reading;
  const [used] = await spendDownloads(tx, { messageId, attachmentIds: [readings], identity }, limit);
  if (used === undefined) return null;
  await tx
    .updateTable('message_recipients')
    .set((eb) => ({ read_count: eb('read_count', '+', 1), read_at: eb.fn.coalesce('read_at', sql<number>`${now}`) }))
    .where('message_id', '=', messageId)
    .where('address', '=', identity)
    .execute();
  return { isFirst: used === 1 };
}
