// Passkeys of accounts and of recipients, recovery codes, and browsers remembered as second step.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const passkeys: Migration = {
  name: '0077-passkeys',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    for (const statement of [
      sql`create table passkeys (
        id text primary key, credential_id text not null, user_id text not null, address text not null,
        name text not null, public_key ${bytes} not null, sign_count bigint not null, transports text not null,
        is_backed_up integer not null, created_at bigint not null, last_used_at bigint, last_used_ip text not null)`,
      sql`create unique index passkeys_credential on passkeys (credential_id)`,
      sql`create index passkeys_user on passkeys (user_id) where user_id <> ''`,
      sql`create index passkeys_address on passkeys (address) where address <> ''`,
      sql`create table used_challenges (challenge_hash ${bytes} primary key, used_at bigint not null)`,
      sql`create index used_challenges_used on used_challenges (used_at)`,
      sql`create table recovery_codes (
        user_id text not null, code_hash ${bytes} not null, created_at bigint not null, primary key (user_id, code_hash))`,
      sql`create table remembered_browsers (
        token_hash ${bytes} primary key, user_id text not null, created_at bigint not null, expires_at bigint not null,
        used_at bigint not null, remote_ip text not null, user_agent text not null)`,
      sql`create index remembered_browsers_user on remembered_browsers (user_id)`,
      sql`create index remembered_browsers_expiry on remembered_browsers (expires_at)`,
      sql`alter table users add column passkey_count integer not null default 0`,
      sql`alter table proofs add column passkey_id text not null default ''`,
    ])
      await statement.execute(tx);
  },
};
