// People, groups, keys, uploads, attachments, links, downloads, events, jobs.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const foundation: Migration = {
  name: '0001-foundation',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const sequence = sql.raw(
      dialect === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key',
    );
    const real = sql.raw(dialect === 'sqlite' ? 'real' : 'double precision');
    const statements = [
      sql`create table meta (key text primary key, value text not null)`,
      sql`create table settings (id integer primary key, document text not null, version integer not null, updated_at bigint not null)`,
      sql`create table key_encryption_keys (id integer primary key, wrapped ${bytes} not null, created_at bigint not null)`,
      sql`create table groups (
        id text primary key, name text not null, is_local integer not null, role text not null, policy text not null,
        position integer not null, is_shipped integer not null, created_at bigint not null, updated_at bigint not null)`,
      sql`create table users (
        id text primary key, email text not null, name text not null, group_id text not null references groups (id),
        state text not null, password_hash text, sender_aliases text not null, recipient_aliases text not null,
        default_sender_alias text not null, client_key_sealed ${bytes}, stored_bytes bigint not null,
        reserved_bytes bigint not null, download_number bigint not null, created_at bigint not null,
        updated_at bigint not null, last_seen_at bigint)`,
      sql`create unique index users_email on users (email) where state <> 'deleted'`,
      sql`create index users_group on users (group_id)`,
      sql`create table api_keys (
        id text primary key, user_id text not null references users (id), lookup ${bytes} not null unique,
        sealed ${bytes} not null, created_at bigint not null, expires_at bigint, last_used_at bigint)`,
      sql`create index api_keys_user on api_keys (user_id)`,
      sql`create table uploads (
        id text primary key, owner_id text not null references users (id), family text not null,
        name_lookup ${bytes} not null, name_sealed ${bytes} not null, is_named integer not null, declared_type text,
        detected_type text, chunks integer not null, state text not null, part_count integer not null, received_bytes bigint not null,
        has_conflict integer not null, data_key_wrapped ${bytes}, key_encryption_key_id integer not null,
        created_at bigint not null, active_at bigint not null)`,
      sql`create unique index uploads_named on uploads (owner_id, family, name_lookup, chunks)
        where state = 'open' and is_named = 1`,
      sql`create index uploads_active on uploads (state, active_at)`,
      sql`create table parts (
        upload_id text not null, number integer not null, blob_key text not null unique, size_bytes bigint not null,
        sha256 text not null, crc32 bigint not null, primary key (upload_id, number))`,
      sql`create table attachments (
        id text primary key, owner_id text not null references users (id), name_sealed ${bytes} not null,
        size_bytes bigint not null, content_type text not null, sha256 text not null, crc32 text not null,
        state text not null, reference_count integer not null, data_key_wrapped ${bytes},
        key_encryption_key_id integer not null, created_at bigint not null, processed_at bigint,
        erase_after_uptime bigint)`,
      sql`create index attachments_owner on attachments (owner_id, created_at)`,
      sql`create index attachments_erasable on attachments (erase_after_uptime) where erase_after_uptime is not null`,
      sql`create table blob_erasures (blob_key text primary key, erase_after bigint not null)`,
      sql`create table file_links (
        id text primary key, owner_id text not null references users (id),
        attachment_id text not null references attachments (id), expires_on text not null, expires_at bigint not null,
        password_hash text, send_receipt integer not null, require_sign_in integer not null, state text not null,
        created_at bigint not null, updated_at bigint not null)`,
      sql`create index file_links_owner on file_links (owner_id, created_at)`,
      sql`create index file_links_attachment on file_links (attachment_id)`,
      sql`create index file_links_expiry on file_links (state, expires_at)`,
      sql`create table tickets (
        id_hash ${bytes} primary key, attachment_id text not null references attachments (id), owner_id text not null,
        link_id text, message_id text, recipient text not null, kind text not null, issued_at bigint not null,
        expires_at bigint not null, download_number bigint, served_bytes bigint not null)`,
      sql`create index tickets_expiry on tickets (expires_at)`,
      sql`create table downloads (
        owner_id text not null, number bigint not null, attachment_id text not null, message_id text, link_id text,
        kind text not null, recipient text not null, outcome text not null, granted_at bigint not null,
        finished_at bigint, sent_bytes bigint not null, duration_ms bigint not null, remote_ip text not null,
        remote_host text not null, user_agent text not null, browser text not null, os text not null,
        platform text not null, location text not null, longitude ${real}, latitude ${real},
        country_code text not null, country_name text not null, city text not null, region_code text not null,
        region_name text not null, primary key (owner_id, number))`,
      sql`create index downloads_time on downloads (owner_id, granted_at)`,
      sql`create index downloads_link on downloads (link_id, number) where link_id is not null`,
      sql`create index downloads_message on downloads (message_id, number) where message_id is not null`,
      sql`create table reservations (
        id text primary key, owner_id text not null, reserved_bytes bigint not null, expires_at bigint not null)`,
      sql`create index reservations_expiry on reservations (expires_at)`,
      sql`create table events (
        seq ${sequence}, at bigint not null, action text not null, actor_kind text not null, actor_id text not null,
        object_kind text not null, object_id text not null, owner_id text not null, facts text not null,
        remote_ip text not null, request_id text not null, hash ${bytes})`,
      sql`create index events_object on events (object_kind, object_id, seq)`,
      sql`create index events_unsealed on events (seq) where hash is null`,
      sql`create table idempotency (
        owner_id text not null, key_hash ${bytes} not null, request_hash ${bytes} not null,
        answer_sealed ${bytes} not null,
        created_at bigint not null, primary key (owner_id, key_hash))`,
      sql`create index idempotency_age on idempotency (created_at)`,
      sql`create table attempts (key text primary key, failures integer not null, window_ends_at bigint not null)`,
      sql`create index attempts_window on attempts (window_ends_at)`,
      sql`create table jobs (
        name text primary key, holder text not null, lease_ends_at bigint not null, last_run_at bigint,
        held_because text, note text not null)`,
    ];
    for (const statement of statements) await statement.execute(tx);
    await refuseChanges(tx, dialect);
  },
};

/** Every column of an event but its seal. */
const eventColumns = [
  'seq',
  'at',
  'action',
  'actor_kind',
  'actor_id',
  'object_kind',
  'object_id',
  'owner_id',
  'facts',
  'remote_ip',
  'request_id',
];

/** Events may only be appended; the one permitted change is filling in the seal (security D18). */
async function refuseChanges(tx: Parameters<Migration['up']>[0], dialect: 'sqlite' | 'postgres'): Promise<void> {
  const isSame = sql.raw(eventColumns.map((name) => `new.${name} = old.${name}`).join(' and '));
  const statements =
    dialect === 'sqlite'
      ? [
          sql`create trigger events_no_delete before delete on events
            begin select raise(abort, 'events are append-only'); end`,
          sql`create trigger events_no_update before update on events when old.hash is not null or not (${isSame})
            begin select raise(abort, 'events are append-only'); end`,
        ]
      : [
          sql`create function events_append_only() returns trigger language plpgsql as $$
            begin
              if tg_op = 'UPDATE' then
                if old.hash is null and ${isSame} then return new; end if;
              end if;
              raise exception 'events are append-only';
            end $$`,
          sql`create trigger events_append_only before update or delete on events
            for each row execute function events_append_only()`,
          sql`create trigger events_no_truncate before truncate on events
            for each statement execute function events_append_only()`,
        ];
  for (const statement of statements) await statement.execute(tx);
}
