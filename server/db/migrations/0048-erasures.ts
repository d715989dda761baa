// People who are being erased: what is looked for, sealed, until a second look has found nothing more of them.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const erasures: Migration = {
  name: '0048-erasures',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    await sql`create table erasures (
      id text primary key, person_sealed ${bytes} not null, swept_seq bigint not null, created_at bigint not null)`.execute(
      tx,
    );
  },
};
