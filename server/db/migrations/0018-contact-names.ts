// What people call those they write to, so that lists can say a name where there is no account to take it from.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const contactNames: Migration = {
  name: '0018-contact-names',
  async up(tx) {
    await sql`create table contact_names (
      owner_id text not null references users (id), address text not null, name text not null,
      updated_at bigint not null, primary key (owner_id, address))`.execute(tx);
  },
};
