// Which piece completed an upload, so that the same piece sent again gets the same file.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const lastParts: Migration = {
  name: '0016-last-parts',
  async up(tx) {
    const statements = [
      sql`alter table uploads add column last_part integer`,
      sql`create index uploads_last_part on uploads (owner_id, name_lookup)
        where last_part is not null and is_named = 1`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
