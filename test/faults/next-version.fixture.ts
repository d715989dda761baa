// Loaded before the program: simulates the next version with a migration of the busiest tables.
import { sql } from 'kysely';
import { migrations } from '#server/db/migrations/all.ts';

const busyTables = [
  'attachments',
  'uploads',
  'parts',
  'file_links',
  'tickets',
  'downloads',
  'users',
  'groups',
  'events',
];

migrations.push({
  name: '9000-next-version',
  async up(tx) {
    for (const table of busyTables)
      await sql`alter table ${sql.table(table)} add column added_next text not null default ''`.execute(tx);
    await sql`create table added_next (id text primary key)`.execute(tx);
    await sql`create index attachments_added_next on attachments (added_next)`.execute(tx);
    if (process.env.UPGRADE_STOPS_HALF_WAY !== 'yes') return;
    process.stdout.write('half way\n');
    await new Promise(() => setInterval(() => {}, 1000));
  },
});
