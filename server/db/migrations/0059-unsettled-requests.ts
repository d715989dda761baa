// How many requests under a ticket are not in the log yet, so that every process knows of those of the others.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const unsettledRequests: Migration = {
  name: '0059-unsettled-requests',
  async up(tx) {
    await sql`alter table tickets add column unsettled integer not null default 0`.execute(tx);
  },
};
