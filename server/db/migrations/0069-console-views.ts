// What administrators and auditors looked at within the last minutes, so that repeated looks are one event (docs/adr/0106).
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const consoleViews: Migration = {
  name: '0069-console-views',
  async up(tx) {
    await sql`create table console_views (view_key text not null primary key, viewed_at bigint not null)`.execute(tx);
  },
};
