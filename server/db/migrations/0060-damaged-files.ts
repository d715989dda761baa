// Damaged files are read again from time to time; an index of those alone finds them among millions.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const damagedFiles: Migration = {
  name: '0060-damaged-files',
  async up(tx) {
    await sql`create index attachments_damaged on attachments (id) where state = 'damaged'`.execute(tx);
  },
};
