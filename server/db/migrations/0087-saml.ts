// Keys and metadata of SAML services, and assertions that were used.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const saml: Migration = {
  name: '0087-saml',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    const statements = [
      sql`create table saml_states (
        service text primary key, key_sealed ${bytes} not null, certificate text not null, metadata text,
        metadata_address text, fetched_at bigint)`,
      sql`create table used_assertions (id_hash ${bytes} primary key, ends_at bigint not null)`,
      sql`create index used_assertions_end on used_assertions (ends_at)`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
