// The browser a ticket was issued to, so that a download that broke off can be started again in it.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const ticketVisitors: Migration = {
  name: '0011-ticket-visitors',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const statements = [
      sql`alter table tickets add column visitor_hash ${bytes}`,
      sql`create index tickets_link on tickets (link_id) where link_id is not null`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
