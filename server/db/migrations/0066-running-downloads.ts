// Which process serves a running download, so that a download is closed when its process has died, and that a ticket stays
// while bytes flow.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const runningDownloads: Migration = {
  name: '0066-running-downloads',
  async up(tx) {
    await sql`create table processes (id text primary key, beats bigint not null)`.execute(tx);
    await sql`alter table downloads add column served_by text not null default ''`.execute(tx);
    await sql`alter table downloads add column is_crashed integer not null default 0`.execute(tx);
    await sql`alter table tickets add column progress_at bigint`.execute(tx);
  },
};
