// Tickets for downloads, and the download log.
import { type RawBuilder, sql } from 'kysely';
import type { ColumnTypes } from './0001-baseline-types.ts';

export function downloadTables({ bytes, real }: ColumnTypes): RawBuilder<unknown>[] {
  return [
    sql`create table tickets (
      id_hash ${bytes} primary key, attachment_id text not null references attachments (id),
      owner_id text not null, link_id text, message_id text, recipient text not null, kind text not null,
      issued_at bigint not null, expires_at bigint not null, download_number bigint,
      served_bytes bigint not null, identity text not null default '', is_archive integer not null default 0,
      account_id text, visitor_hash ${bytes}, network text not null default '',
      is_helped integer not null default 0, password_version integer not null default 0,
      unsettled integer not null default 0, progress_at bigint)`,
    sql`create index tickets_expiry on tickets (expires_at)`,
    sql`create index tickets_link on tickets (link_id) where link_id is not null`,
    sql`create index tickets_message on tickets (message_id, attachment_id, recipient) where message_id is not null`,
    sql`create index tickets_number on tickets (owner_id, download_number) where download_number is not null`,
    sql`create table ticket_files (
      id_hash ${bytes} not null references tickets (id_hash) on delete cascade, position integer not null,
      attachment_id text not null references attachments (id), primary key (id_hash, position))`,
    sql`create table downloads (
      owner_id text not null, number bigint not null, attachment_id text not null, message_id text,
      link_id text, kind text not null, recipient text not null, outcome text not null,
      granted_at bigint not null, finished_at bigint, sent_bytes bigint not null, duration_ms bigint not null,
      remote_ip text not null, remote_host text not null, user_agent text not null, browser text not null,
      os text not null, platform text not null, location text not null, longitude ${real}, latitude ${real},
      country_code text not null, country_name text not null, city text not null, region_code text not null,
      region_name text not null, delivered text not null default '', api_key_id text not null default '',
      served_by text not null default '', is_crashed integer not null default 0, primary key (owner_id, number))`,
    sql`create index downloads_address on downloads (remote_ip, granted_at)`,
    sql`create index downloads_api_key on downloads (api_key_id, granted_at) where api_key_id <> ''`,
    sql`create index downloads_by_day on downloads (granted_at, kind)`,
    sql`create index downloads_link on downloads (link_id, number) where link_id is not null`,
    sql`create index downloads_link_count on downloads (link_id, outcome, granted_at) where link_id is not null`,
    sql`create index downloads_message on downloads (message_id, number) where message_id is not null`,
    sql`create index downloads_recipient on downloads (recipient, granted_at) where recipient <> ''`,
    sql`create index downloads_running on downloads (granted_at) where outcome = 'granted'`,
    // Has every column that the statistics of a log sum, so they read no rows.
    sql`create index downloads_time on downloads (owner_id, granted_at, number, outcome, attachment_id,
      country_code, platform, recipient, sent_bytes, latitude, longitude)`,
    sql`create table download_days (
      owner_id text not null, day integer not null, sums text not null, people ${bytes} not null,
      primary key (owner_id, day))`,
    sql`create index download_days_day on download_days (day)`,
    sql`create table receipt_lines (
      target text not null, attachment_id text not null, recipient text not null, owner_id text not null,
      download_number bigint not null, created_at bigint not null, mailed_at bigint,
      primary key (target, attachment_id, recipient))`,
  ];
}
