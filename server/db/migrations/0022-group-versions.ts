// Groups: how often one was changed, so that nobody saves over somebody else's change, and whose addresses belong in it.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const groupVersions: Migration = {
  name: '0022-group-versions',
  async up(tx) {
    await sql`alter table groups add column version integer not null default 1`.execute(tx);
    await sql`alter table groups add column domains text not null default '[]'`.execute(tx);
  },
};
