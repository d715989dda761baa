// Verdicts of the virus scanner, and the files that wait for one.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const scanning: Migration = {
  name: '0079-scanning',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    await sql`alter table attachments add column scan_state text not null default 'free'`.execute(tx);
    await sql`alter table attachments add column is_from_outside integer not null default 0`.execute(tx);
    await sql`create table file_scans (
      attachment_id text not null primary key, state text not null, verdict text not null, reason text not null,
      signature text not null, version text not null, requested_at bigint not null, next_at bigint not null, attempts integer not null,
      scanned_bytes bigint not null, scanned_at bigint, quarantine_id text, held_at bigint, released_at bigint,
      released_by text not null)`.execute(tx);
    await sql`create index file_scans_waiting on file_scans (next_at) where state = 'waiting'`.execute(tx);
    await sql`create unique index file_scans_quarantine on file_scans (quarantine_id)
      where quarantine_id is not null`.execute(tx);
    await sql`create table scan_verdicts (
      content_hash ${bytes} not null, version text not null, verdict text not null, reason text not null,
      signature text not null, scanned_at bigint not null, primary key (content_hash, version))`.execute(tx);
    await sql`create index scan_verdicts_age on scan_verdicts (scanned_at)`.execute(tx);
  },
};
