// What runs now, how much came and went each day, and how old what can be read is, without looking at every row.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const overview: Migration = {
  name: '0029-overview',
  async up(tx) {
    await sql`create index downloads_running on downloads (granted_at) where outcome = 'granted'`.execute(tx);
    await sql`create index downloads_by_day on downloads (granted_at, kind)`.execute(tx);
    await sql`create index attachments_by_day on attachments (created_at, state, reference_count, size_bytes)`.execute(
      tx,
    );
    await sql`create index tickets_number on tickets (owner_id, download_number) where download_number is not null`.execute(
      tx,
    );
  },
};
