// The installation itself: settings, keys, mails to send, jobs and what they have done.
import { type RawBuilder, sql } from 'kysely';
import type { ColumnTypes } from './0001-baseline-types.ts';

export function systemTables({ bytes }: ColumnTypes): RawBuilder<unknown>[] {
  return [
    sql`create table meta (key text primary key, value text not null)`,
    sql`create table settings (
      id integer primary key, document text not null, version integer not null, updated_at bigint not null)`,
    sql`create table key_encryption_keys (
      id integer primary key, wrapped ${bytes} not null, created_at bigint not null)`,
    sql`create table processes (id text primary key, beats bigint not null)`,
    sql`create table outbox (
      id text primary key, kind text not null, recipient text not null, owner_id text not null, message_id text,
      link_id text, request_id text, group_key text, payload_sealed ${bytes} not null, state text not null,
      attempts integer not null, next_at bigint not null, lease_ends_at bigint not null, expires_at bigint,
      server_text text not null, created_at bigint not null, finished_at bigint)`,
    sql`create index outbox_cancelled on outbox (created_at, id) where state = 'cancelled'`,
    sql`create index outbox_due on outbox (next_at) where state in ('pending', 'sending')`,
    sql`create index outbox_failed on outbox (created_at, id) where state = 'failed'`,
    sql`create unique index outbox_group on outbox (group_key) where group_key is not null and state = 'pending'`,
    sql`create index outbox_message on outbox (message_id) where message_id is not null`,
    sql`create index outbox_newest on outbox (created_at, id)`,
    sql`create index outbox_owner on outbox (owner_id, created_at)`,
    sql`create index outbox_refused on outbox (finished_at) where state = 'failed'`,
    sql`create index outbox_request on outbox (request_id, created_at) where request_id is not null`,
    sql`create index outbox_waiting on outbox (created_at, id) where state in ('pending', 'sending')`,
    sql`create table jobs (
      name text primary key, holder text not null, lease_ends_at bigint not null, last_run_at bigint,
      held_because text, note text not null, failures integer not null default 0, failed_at bigint,
      failure text not null default '', took_ms bigint)`,
    sql`create table tasks (
      id text primary key, kind text not null, state text not null, input text not null,
      started_by text not null, progress text not null, total bigint, done bigint not null,
      failed bigint not null, created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
    sql`create index tasks_time on tasks (created_at, id)`,
    sql`create index tasks_unfinished on tasks (created_at) where finished_at is null`,
    sql`create table idempotency (
      owner_id text not null, key_hash ${bytes} not null, request_hash ${bytes} not null,
      answer_sealed ${bytes} not null, created_at bigint not null, primary key (owner_id, key_hash))`,
    sql`create index idempotency_age on idempotency (created_at)`,
    sql`create table backup_runs (
      kind text not null, started_at bigint not null, finished_at bigint not null, failure text,
      snapshot_id text not null, files bigint not null, bytes bigint not null, primary key (kind, started_at))`,
    sql`create table console_views (view_key text not null primary key, viewed_at bigint not null)`,
  ];
}
