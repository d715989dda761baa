// Tickets for one archive of several files of a message.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const archives: Migration = {
  name: '0005-archives',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const statements = [
      sql`alter table tickets add column is_archive integer not null default 0`,
      sql`create table ticket_files (
        id_hash ${bytes} not null references tickets (id_hash) on delete cascade, position integer not null,
        attachment_id text not null references attachments (id), primary key (id_hash, position))`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
