// Which programs call with an API key, by day, version and outcome.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const clientSightings: Migration = {
  name: '0027-client-sightings',
  async up(tx) {
    await sql`create table client_sightings (
      day text not null, client text not null, version text not null, code text not null, calls bigint not null,
      primary key (day, client, version, code))`.execute(tx);
  },
};
