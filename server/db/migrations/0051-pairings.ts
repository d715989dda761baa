// Programs that are signed in through a browser: a code that a person confirms, a token that the program fetches its key
// with.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const pairings: Migration = {
  name: '0051-pairings',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const statements = [
      sql`create table pairings (
        token_hash ${bytes} primary key,
        code_hash ${bytes} not null unique,
        name text not null,
        address text not null,
        state text not null,
        user_id text,
        created_at bigint not null,
        expires_at bigint not null
      )`,
      sql`create index pairings_by_end on pairings (expires_at)`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
