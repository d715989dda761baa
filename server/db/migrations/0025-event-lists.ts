// Finding events by who did them, by what was done, and by when, over all owners.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const eventLists: Migration = {
  name: '0025-event-lists',
  async up(tx) {
    const statements = [
      sql`create index events_actor on events (actor_id, seq) where actor_id <> ''`,
      sql`create index events_action on events (action, seq)`,
      sql`create index events_at on events (at, seq)`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
