// Uploads, the files they become, and the blobs that hold their bytes.
import { type RawBuilder, sql } from 'kysely';
import type { ColumnTypes } from './0001-baseline-types.ts';

export function fileTables({ bytes }: ColumnTypes): RawBuilder<unknown>[] {
  return [
    sql`create table uploads (
      id text primary key, owner_id text not null references users (id), family text not null,
      name_lookup ${bytes} not null, name_sealed ${bytes} not null, is_named integer not null,
      declared_type text, detected_type text, chunks integer not null, state text not null,
      part_count integer not null, received_bytes bigint not null, has_conflict integer not null,
      data_key_wrapped ${bytes}, key_encryption_key_id integer not null, created_at bigint not null,
      active_at bigint not null, source text not null default '', last_part integer)`,
    sql`create index uploads_active on uploads (state, active_at)`,
    sql`create index uploads_last_part on uploads (owner_id, name_lookup)
      where last_part is not null and is_named = 1`,
    sql`create unique index uploads_named on uploads (owner_id, source, family, name_lookup, chunks)
      where state = 'open' and is_named = 1`,
    sql`create index uploads_source on uploads (source) where source <> ''`,
    sql`create table parts (
      upload_id text not null, number integer not null, blob_key text not null unique,
      size_bytes bigint not null, sha256 text not null, crc32 bigint not null, checksums_sealed ${bytes},
      primary key (upload_id, number))`,
    sql`create table attachments (
      id text primary key, owner_id text not null references users (id), name_sealed ${bytes} not null,
      size_bytes bigint not null, content_type text not null, sha256 text not null, crc32 text not null,
      state text not null, reference_count integer not null, data_key_wrapped ${bytes},
      key_encryption_key_id integer not null, created_at bigint not null, processed_at bigint,
      erase_after_uptime bigint, source text not null default '', checksums_sealed ${bytes})`,
    sql`create index attachments_by_day on attachments (created_at, state, reference_count, size_bytes)`,
    sql`create index attachments_damaged on attachments (id) where state = 'damaged'`,
    sql`create index attachments_erasable on attachments (erase_after_uptime) where erase_after_uptime is not null`,
    sql`create index attachments_kept on attachments (id) where state = 'erased' and data_key_wrapped is not null`,
    sql`create index attachments_owner on attachments (owner_id, created_at)`,
    sql`create index attachments_source on attachments (source) where source <> ''`,
    sql`create table reservations (
      id text primary key, owner_id text not null, reserved_bytes bigint not null, expires_at bigint not null,
      source text not null default '')`,
    sql`create index reservations_expiry on reservations (expires_at)`,
    sql`create table blob_leases (blob_key text primary key, holder text not null, expires_at bigint not null)`,
    sql`create table blob_erasures (blob_key text primary key, erase_after bigint not null)`,
    sql`create table storage_days (
      day text primary key, at bigint not null, kept_bytes bigint not null, used_bytes bigint,
      total_bytes bigint)`,
  ];
}
