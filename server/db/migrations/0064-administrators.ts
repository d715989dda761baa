// Limits for administrators (docs/adr/0106): files that their owner has deleted and a legal hold keeps, passwords that must be
// changed at the next sign-in, who was given access to whose account, and confirmations of a second System Administrator.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const administrators: Migration = {
  name: '0064-administrators',
  async up(tx) {
    for (const statement of [
      sql`create index attachments_kept on attachments (id) where state = 'erased' and data_key_wrapped is not null`,
      sql`alter table users add column must_change_password integer not null default 0`,
      sql`create table account_access (
        user_id text not null, given_by text not null, given_at bigint not null, primary key (user_id, given_by))`,
      sql`create table hand_over_confirmations (
        id text primary key, asked_by text not null, new_owner_id text not null, reason text not null,
        asked_at bigint not null, confirmed_by text not null, confirmed_at bigint)`,
      sql`create index hand_over_confirmations_pair on hand_over_confirmations (asked_by, new_owner_id)`,
    ])
      await statement.execute(tx);
  },
};
