// Finished mails and visits of messages that have ended are removed after half a year, found by an index.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const oldMailsAndVisits: Migration = {
  name: '0058-old-mails-and-visits',
  async up(tx) {
    const statements = [
      sql`create index outbox_finished on outbox (finished_at) where finished_at is not null`,
      sql`create index message_visits_last on message_visits (last_at)`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
