// What people outside keep of a delivery: its page has an address that lasts.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const uploaderReceipts: Migration = {
  name: '0008-uploader-receipts',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const statements = [
      sql`create table uploader_receipts (
        id text primary key, submission_hash ${bytes} not null unique, owner_id text not null references users (id),
        receipt_sealed ${bytes} not null, created_at bigint not null, expires_at bigint not null)`,
      sql`create index uploader_receipts_by_owner on uploader_receipts (owner_id)`,
      sql`create index uploader_receipts_by_end on uploader_receipts (expires_at)`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
