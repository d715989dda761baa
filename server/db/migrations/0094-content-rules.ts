// What files contain, for the content rules of groups.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const contentRules: Migration = {
  name: '0094-content-rules',
  async up(tx) {
    await sql`create table file_contents (
      attachment_id text not null primary key, findings text not null, inspected_at bigint not null)`.execute(tx);
    await sql`create index file_contents_age on file_contents (inspected_at)`.execute(tx);
  },
};
