// Sign-in services that are tested before they are saved.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const signInTests: Migration = {
  name: '0109-sign-in-tests',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    await sql`create table sign_in_tests (
      id text not null primary key, owner text not null, test_sealed ${bytes} not null, expires_at bigint not null)`.execute(
      tx,
    );
    await sql`create index sign_in_tests_end on sign_in_tests (expires_at)`.execute(tx);
  },
};
