// Finds mails that a restored installation holds back.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const heldMails: Migration = {
  name: '0073-held-mails',
  async up(tx) {
    await sql`create index outbox_held on outbox (created_at, id) where state = 'held'`.execute(tx);
  },
};
