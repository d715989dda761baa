// How much was stored on each day, for the plot of the storage and its forecast.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const storageDays: Migration = {
  name: '0042-storage-days',
  async up(tx) {
    await sql`create table storage_days (
      day text primary key,
      at bigint not null,
      kept_bytes bigint not null,
      used_bytes bigint,
      total_bytes bigint
    )`.execute(tx);
  },
};
