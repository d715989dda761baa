// What people choose for themselves, further API keys, and the indexes behind the lists and figures of the web app.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const preferences: Migration = {
  name: '0004-preferences',
  async up(tx) {
    const statements = [
      sql`create table preferences (
        user_id text primary key references users (id), time_zone text not null, theme text not null,
        has_shortcut_keys integer not null, receipts text not null, has_reminders integer not null,
        has_request_notices integer not null, updated_at bigint not null)`,
      sql`alter table users add column is_drop_closed integer not null default 0`,
      sql`alter table api_keys add column kind text not null default 'account'`,
      sql`alter table api_keys add column name text not null default ''`,
      sql`alter table api_keys add column prefix text not null default ''`,
      sql`alter table api_keys add column last_used_ip text not null default ''`,
      sql`alter table api_keys add column replaced_at bigint`,
      sql`create index outbox_request on outbox (request_id, created_at) where request_id is not null`,
      // Everything the figures of a log are made of is in the index, so that a million lines are summed without
      // reading one of them. It begins like the index it replaces.
      sql`drop index downloads_time`,
      sql`create index downloads_time on downloads (owner_id, granted_at, number, outcome, attachment_id, country_code,
        platform, recipient, sent_bytes, latitude, longitude)`,
      sql`create index downloads_link_count on downloads (link_id, outcome, granted_at) where link_id is not null`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
