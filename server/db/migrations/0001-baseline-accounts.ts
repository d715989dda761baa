// Groups, users, how they sign in, and what limits attempts.
import { type RawBuilder, sql } from 'kysely';
import type { ColumnTypes } from './0001-baseline-types.ts';

export function accountTables({ bytes }: ColumnTypes): RawBuilder<unknown>[] {
  return [
    sql`create table groups (
      id text primary key, name text not null, is_local integer not null, role text not null,
      policy text not null, position integer not null, is_shipped integer not null, created_at bigint not null,
      updated_at bigint not null, version integer not null default 1, domains text not null default '[]')`,
    sql`create table users (
      id text primary key, email text not null, name text not null,
      group_id text not null references groups (id), state text not null, password_hash text,
      sender_aliases text not null, recipient_aliases text not null, default_sender_alias text not null,
      client_key_sealed ${bytes}, stored_bytes bigint not null, reserved_bytes bigint not null,
      download_number bigint not null, created_at bigint not null, updated_at bigint not null,
      last_seen_at bigint, drop_name text, totp_sealed ${bytes}, totp_state text not null default 'off',
      totp_last_step bigint not null default 0, is_drop_closed integer not null default 0, language text,
      proven_addresses text not null default '[]', search_text text not null default '',
      must_change_password integer not null default 0)`,
    sql`create index users_by_name on users (name, id)`,
    sql`create index users_by_seen on users (coalesce(last_seen_at, 0), id)`,
    sql`create index users_by_storage on users (stored_bytes, id)`,
    sql`create index users_counted on users (group_id, state, last_seen_at)`,
    sql`create unique index users_drop_name on users (drop_name) where drop_name is not null`,
    sql`create unique index users_email on users (email) where state <> 'deleted'`,
    sql`create index users_group on users (group_id)`,
    sql`create table preferences (
      user_id text primary key references users (id), time_zone text not null, theme text not null,
      has_shortcut_keys integer not null, receipts text not null, has_reminders integer not null,
      has_request_notices integer not null, updated_at bigint not null)`,
    sql`create table contact_names (
      owner_id text not null references users (id), address text not null, name text not null,
      updated_at bigint not null, primary key (owner_id, address))`,
    sql`create table api_keys (
      id text primary key, user_id text not null references users (id), lookup ${bytes} not null unique,
      sealed ${bytes} not null, created_at bigint not null, expires_at bigint, last_used_at bigint,
      kind text not null default 'account', name text not null default '', prefix text not null default '',
      last_used_ip text not null default '', replaced_at bigint)`,
    sql`create index api_keys_user on api_keys (user_id)`,
    sql`create table sessions (
      id_hash ${bytes} primary key, user_id text not null references users (id), state text not null,
      is_kept integer not null, created_at bigint not null, active_at bigint not null,
      expires_at bigint not null, remote_ip text not null, user_agent text not null)`,
    sql`create index sessions_expiry on sessions (expires_at)`,
    sql`create index sessions_user on sessions (user_id)`,
    sql`create table one_time_tokens (
      id_hash ${bytes} primary key, kind text not null, user_id text not null references users (id),
      created_at bigint not null, expires_at bigint not null, used_at bigint)`,
    sql`create index one_time_tokens_user on one_time_tokens (user_id, kind)`,
    sql`create table pairings (
      token_hash ${bytes} primary key, code_hash ${bytes} not null unique, name text not null,
      address text not null, state text not null, user_id text, created_at bigint not null,
      expires_at bigint not null)`,
    sql`create index pairings_by_end on pairings (expires_at)`,
    sql`create table codes (
      id text primary key, address text not null, target text not null, nonce_hash ${bytes} not null,
      code_hash ${bytes} not null, tries integer not null, state text not null, created_at bigint not null,
      expires_at bigint not null, network text not null, link_hash ${bytes},
      link_state text not null default 'used', drop_key_id text, is_unknown integer not null default 0)`,
    sql`create index codes_address on codes (address, created_at)`,
    sql`create unique index codes_link on codes (link_hash)`,
    sql`create index codes_network on codes (network, created_at)`,
    sql`create index codes_nonce on codes (nonce_hash, target)`,
    sql`create index codes_target on codes (target, created_at)`,
    sql`create table proofs (
      id_hash ${bytes} not null, address text not null, created_at bigint not null, expires_at bigint not null,
      primary key (id_hash, address))`,
    sql`create index proofs_expiry on proofs (expires_at)`,
    sql`create table attempts (
      key text primary key, failures integer not null, window_ends_at bigint not null,
      kind text not null default '', about text not null default '', network text not null default '',
      began_at bigint not null default 0)`,
    sql`create index attempts_window on attempts (window_ends_at)`,
    sql`create table sign_in_networks (
      user_id text not null, network_hash ${bytes} not null, last_at bigint not null,
      primary key (user_id, network_hash))`,
    sql`create index sign_in_networks_by_time on sign_in_networks (last_at)`,
    sql`create table account_access (
      user_id text not null, given_by text not null, given_at bigint not null, primary key (user_id, given_by))`,
    sql`create table hand_over_confirmations (
      id text primary key, asked_by text not null, new_owner_id text not null, reason text not null,
      asked_at bigint not null, confirmed_by text not null, confirmed_at bigint)`,
    sql`create index hand_over_confirmations_pair on hand_over_confirmations (asked_by, new_owner_id)`,
    sql`create table client_sightings (
      day text not null, client text not null, version text not null, code text not null, calls bigint not null,
      primary key (day, client, version, code))`,
  ];
}
