// Visits of messages that have ended are removed after half a year, found by an index.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const oldMailsAndVisits: Migration = {
  name: '0058-old-mails-and-visits',
  async up(tx) {
    await sql`create index message_visits_last on message_visits (last_at)`.execute(tx);
  },
};
