// Messages and who may open them, proofs of addresses, sessions, File Requests, drops, and the mail that carries them.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const messages: Migration = {
  name: '0002-messages',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const statements = [
      sql`alter table users add column drop_name text`,
      sql`alter table users add column totp_sealed ${bytes}`,
      sql`alter table users add column totp_state text not null default 'off'`,
      sql`alter table users add column totp_last_step bigint not null default 0`,
      sql`create unique index users_drop_name on users (drop_name) where drop_name is not null`,
      sql`alter table uploads add column source text not null default ''`,
      sql`drop index uploads_named`,
      sql`create unique index uploads_named on uploads (owner_id, source, family, name_lookup, chunks)
        where state = 'open' and is_named = 1`,
      sql`alter table attachments add column source text not null default ''`,
      sql`alter table tickets add column identity text not null default ''`,
      sql`create index tickets_message on tickets (message_id, attachment_id, recipient) where message_id is not null`,
      sql`create table messages (
        id text primary key, owner_id text not null references users (id), origin text not null, sender text not null,
        sender_name text not null, is_sender_confirmed integer not null, subject_sealed ${bytes} not null,
        body_sealed ${bytes} not null, audience integer not null, download_limit integer, is_private integer not null,
        send_receipts integer not null, expires_on text not null, expires_at bigint not null, size_bytes bigint not null,
        state text not null, request_id text, created_at bigint not null, updated_at bigint not null)`,
      sql`create index messages_owner on messages (owner_id, created_at)`,
      sql`create index messages_expiry on messages (state, expires_at)`,
      sql`create index messages_request on messages (request_id) where request_id is not null`,
      sql`create table message_recipients (
        message_id text not null references messages (id), address text not null, role text not null,
        position integer not null, state text not null, read_at bigint, read_count integer not null,
        primary key (message_id, address))`,
      sql`create index message_recipients_address on message_recipients (address)`,
      sql`create table message_attachments (
        message_id text not null references messages (id), attachment_id text not null references attachments (id),
        position integer not null, primary key (message_id, attachment_id))`,
      sql`create index message_attachments_file on message_attachments (attachment_id)`,
      sql`create table counters (
        message_id text not null, attachment_id text not null, identity text not null, used integer not null,
        primary key (message_id, attachment_id, identity))`,
      sql`create table codes (
        id text primary key, address text not null, target text not null, nonce_hash ${bytes} not null,
        code_hash ${bytes} not null, tries integer not null, state text not null, created_at bigint not null,
        expires_at bigint not null, network text not null)`,
      sql`create index codes_nonce on codes (nonce_hash, target)`,
      sql`create index codes_address on codes (address, created_at)`,
      sql`create index codes_target on codes (target, created_at)`,
      sql`create index codes_network on codes (network, created_at)`,
      sql`create table proofs (
        id_hash ${bytes} not null, address text not null, created_at bigint not null, expires_at bigint not null,
        primary key (id_hash, address))`,
      sql`create index proofs_expiry on proofs (expires_at)`,
      sql`create table sessions (
        id_hash ${bytes} primary key, user_id text not null references users (id), state text not null,
        is_kept integer not null, created_at bigint not null, active_at bigint not null, expires_at bigint not null,
        remote_ip text not null, user_agent text not null)`,
      sql`create index sessions_user on sessions (user_id)`,
      sql`create index sessions_expiry on sessions (expires_at)`,
      sql`create table one_time_tokens (
        id_hash ${bytes} primary key, kind text not null, user_id text not null references users (id),
        created_at bigint not null, expires_at bigint not null, used_at bigint)`,
      sql`create index one_time_tokens_user on one_time_tokens (user_id, kind)`,
      sql`create table file_requests (
        id text primary key, owner_id text not null references users (id), recipient text not null,
        subject_sealed ${bytes} not null, body_sealed ${bytes} not null, is_reusable integer not null,
        expires_on text not null, expires_at bigint not null, state text not null, answered_at bigint,
        created_at bigint not null, updated_at bigint not null)`,
      sql`create index file_requests_owner on file_requests (owner_id, created_at)`,
      sql`create table drop_keys (
        id text primary key, lookup ${bytes} not null unique, owner_id text not null, drop_name text not null,
        pending_sealed ${bytes}, state text not null, created_at bigint not null, expires_at bigint not null)`,
      sql`create index drop_keys_expiry on drop_keys (expires_at)`,
      sql`create table outbox (
        id text primary key, kind text not null, recipient text not null, owner_id text not null, message_id text,
        link_id text, request_id text, group_key text, payload_sealed ${bytes} not null, state text not null,
        attempts integer not null, next_at bigint not null, lease_ends_at bigint not null, expires_at bigint,
        server_text text not null, created_at bigint not null, finished_at bigint)`,
      sql`create index outbox_due on outbox (next_at) where state in ('pending', 'sending')`,
      sql`create index outbox_message on outbox (message_id) where message_id is not null`,
      sql`create index outbox_owner on outbox (owner_id, created_at)`,
      sql`create unique index outbox_group on outbox (group_key) where group_key is not null and state = 'pending'`,
      sql`create table receipt_lines (
        target text not null, attachment_id text not null, recipient text not null, owner_id text not null,
        download_number bigint not null, created_at bigint not null, mailed_at bigint,
        primary key (target, attachment_id, recipient))`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
