// Stopped and open File Requests are found without looking at all of them, and on SQLite words are looked for in an index
// alone: rows of people are wide. PostgreSQL limits the size of what an index holds, and reads whole tables quickly.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const consoleLists: Migration = {
  name: '0043-console-lists',
  async up(tx, dialect) {
    await sql`create index file_requests_stopped on file_requests (created_at, id) where state = 'closed'`.execute(tx);
    await sql`create index file_requests_open on file_requests (expires_at) where state = 'open'`.execute(tx);
    if (dialect === 'sqlite')
      await sql`create index users_searched on users (email, id, state, group_id, search_text)`.execute(tx);
  },
};
