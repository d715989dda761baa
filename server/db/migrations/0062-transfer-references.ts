// Public references of transfers, in a table of their own so that one unique index covers messages, links and File Requests.
// Existing transfers get theirs from a job (jobs/name-transfers.ts).
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const transferReferences: Migration = {
  name: '0062-transfer-references',
  async up(tx) {
    await sql`create table transfer_references (
      transfer_id text not null primary key,
      reference text not null unique
    )`.execute(tx);
  },
};
