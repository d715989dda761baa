// Leases on stored bytes that no row points at yet, so that the sweep leaves alone what is still arriving.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const blobLeases: Migration = {
  name: '0009-blob-leases',
  async up(tx) {
    await sql`create table blob_leases (
      blob_key text primary key, holder text not null, expires_at bigint not null)`.execute(tx);
  },
};
