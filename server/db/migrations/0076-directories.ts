// Synchronisation with directories, and people and groups of SCIM.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const directories: Migration = {
  name: '0076-directories',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    const statements = [
      sql`alter table identities add column disabled_at bigint`,
      sql`create table directory_syncs (
        service text primary key, synced_at bigint not null, outcome text not null, note text not null)`,
      sql`create table scim_tokens (
        id text primary key, token_hash ${bytes} not null unique, name text not null, created_by text not null,
        created_at bigint not null, last_used_at bigint)`,
      sql`create table scim_users (
        user_id text primary key, identity_id text not null, user_name text not null, user_name_folded text not null unique,
        external_id text, attributes text not null, version bigint not null, created_at bigint not null,
        updated_at bigint not null)`,
      sql`create index scim_users_external on scim_users (external_id)`,
      sql`create table scim_groups (
        id text primary key, display_name text not null, display_name_folded text not null unique, external_id text,
        version bigint not null, created_at bigint not null, updated_at bigint not null)`,
      sql`create table scim_members (
        group_id text not null, member_id text not null, member_kind text not null,
        primary key (group_id, member_kind, member_id))`,
      sql`create index scim_members_member on scim_members (member_id, member_kind)`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
