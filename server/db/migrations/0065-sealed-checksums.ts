// Checksums are sealed. Where there is anything already, they are also written in clear for a day, because the version before
// works next to this one; then a job seals what is there (db/attachments/checksums.ts).
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const sealedChecksums: Migration = {
  name: '0065-sealed-checksums',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    await sql`alter table attachments add column checksums_sealed ${bytes}`.execute(tx);
    await sql`alter table parts add column checksums_sealed ${bytes}`.execute(tx);
    await sql`insert into meta (key, value)
      select 'checksums_in_clear', '' where exists (select 1 from events)`.execute(tx);
  },
};
