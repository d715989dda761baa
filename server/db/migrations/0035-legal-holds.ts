// Legal holds: while one is in force, nothing destroys the keys of the files it covers.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const legalHolds: Migration = {
  name: '0035-legal-holds',
  async up(tx) {
    await sql`create table legal_holds (
      id text primary key, target_kind text not null, target_id text not null, owner_id text not null, reason text not null,
      set_by text not null, set_at bigint not null, lift_reason text not null, lifted_by text not null, lifted_at bigint)`.execute(
      tx,
    );
    await sql`create unique index legal_holds_in_force on legal_holds (target_kind, target_id) where lifted_at is null`.execute(
      tx,
    );
    await sql`create index legal_holds_by_time on legal_holds (set_at, id)`.execute(tx);
  },
};
