// Files a sender took out of a sent message: the message no longer holds them, and the record of who got them stays.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const removedFiles: Migration = {
  name: '0020-removed-files',
  async up(tx) {
    await sql`create table removed_message_files (
      message_id text not null references messages (id), attachment_id text not null references attachments (id),
      position integer not null, removed_at bigint not null, primary key (message_id, attachment_id))`.execute(tx);
  },
};
