// Sign-in services, the identities of accounts at them, and the directory groups of groups.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const signInServices: Migration = {
  name: '0074-identities',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    const statements = [
      sql`create table sign_in_services (
        id text primary key, kind text not null, name text not null, position bigint not null,
        is_enabled integer not null, settings text not null, secrets_sealed ${bytes} not null,
        created_at bigint not null, updated_at bigint not null)`,
      sql`create table identities (
        id text primary key, service text not null, subject text not null, user_id text not null, way text not null,
        directory_groups text, created_at bigint not null, last_used_at bigint, unique (service, subject))`,
      sql`create index identities_user on identities (user_id)`,
      sql`create table sign_in_attempts (
        id text primary key, service text not null, outcome text not null, reason text not null, claims text not null,
        at bigint not null)`,
      sql`create index sign_in_attempts_service on sign_in_attempts (service, at)`,
      sql`alter table groups add column match_groups text not null default '[]'`,
      sql`alter table users add column is_group_assigned integer`,
      sql`alter table sessions add column has_second_step integer not null default 0`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
