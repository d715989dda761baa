// Sums of each day of the download log, so that its figures need not read a million lines.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const downloadDays: Migration = {
  name: '0061-download-days',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    await sql`create table download_days (
      owner_id text not null,
      day integer not null,
      sums text not null,
      people ${bytes} not null,
      primary key (owner_id, day)
    )`.execute(tx);
    await sql`create index download_days_day on download_days (day)`.execute(tx);
  },
};
