// The button in a code's mail works in any browser: a code has a link of its own, and knows the delivery that waits for it.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const codeLinks: Migration = {
  name: '0010-code-links',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const statements = [
      sql`alter table codes add column link_hash ${bytes}`,
      sql`alter table codes add column link_state text not null default 'used'`,
      sql`alter table codes add column drop_key_id text`,
      sql`create unique index codes_link on codes (link_hash)`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
