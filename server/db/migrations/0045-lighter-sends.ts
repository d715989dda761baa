// Indexes that every send and every mail paid for, and that few questions need: those of rare states are partial, so that
// mails which go out never touch them, and sends are found by their group.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const lighterSends: Migration = {
  name: '0045-lighter-sends',
  async up(tx) {
    const statements = [
      sql`drop index sends_by_user`,
      sql`drop index sends_by_age`,
      sql`drop index outbox_by_state`,
      sql`create index outbox_failed on outbox (created_at, id) where state = 'failed'`,
      sql`create index outbox_cancelled on outbox (created_at, id) where state = 'cancelled'`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
