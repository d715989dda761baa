// What became of a message: people revoked, corrected and reminded one by one, and who opened its page.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const tracking: Migration = {
  name: '0003-tracking',
  async up(tx) {
    const statements = [
      sql`alter table message_recipients add column revoked_at bigint`,
      sql`alter table message_recipients add column replaced_by text not null default ''`,
      sql`alter table message_recipients add column download_limit integer`,
      sql`alter table message_recipients add column reminder_count integer not null default 0`,
      sql`alter table message_recipients add column reminded_at bigint`,
      sql`create table message_visits (
        message_id text not null, visitor text not null, address text not null, first_at bigint not null,
        last_at bigint not null, count integer not null, browser text not null, device text not null,
        network text not null, country text not null, is_scanner integer not null,
        primary key (message_id, visitor))`,
      sql`create index events_owner on events (owner_id, seq) where owner_id <> ''`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
