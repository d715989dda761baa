// Drop pages of functions ("Accounts payable"): an address, words and limits of their own, and the people who receive there.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const systemDrops: Migration = {
  name: '0041-system-drops',
  async up(tx) {
    const statements = [
      sql`create table system_drops (
        id text primary key,
        name text not null unique,
        title text not null,
        intro text not null,
        receivers text not null,
        max_size integer,
        file_types text not null,
        confirms_sender integer not null,
        is_open integer not null,
        created_at bigint not null,
        updated_at bigint not null
      )`,
      sql`alter table messages add column system_drop_id text`,
      sql`create index messages_by_system_drop on messages (system_drop_id, created_at) where system_drop_id is not null`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
