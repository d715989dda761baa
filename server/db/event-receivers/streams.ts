// Positions of event streams.
import type { EventStreamsTable, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const streams = defineTable<EventStreamsTable>()(({ plain }) => ({
  ...plain('name', 'position', 'attempts', 'first_failed_at', 'next_at', 'last_error', 'delivered_at'),
}));

export type StreamName = EventStreamsTable['name'];

export interface StreamProgress {
  name: StreamName;
  position: number;
  attempts: number;
  firstFailedAt: number | null;
  nextAt: number;
  lastError: string;
  deliveredAt: number | null;
}

export async function findStream(db: Query, name: StreamName): Promise<StreamProgress | null> {
  const row = await db.selectFrom('event_streams').selectAll().where('name', '=', name).executeTakeFirst();
  return row === undefined ? null : streams.read(row);
}

export async function saveStream(tx: Tx, progress: StreamProgress): Promise<void> {
  const { name, ...changes } = streams.write(progress);
  await tx
    .insertInto('event_streams')
    .values({ name, ...changes })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(changes))
    .execute();
}
