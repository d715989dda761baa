// Which stores a process reads, so that files are moved only after all were restarted.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const storesOfProcesses: Migration = {
  name: '0086-stores-of-processes',
  async up(tx) {
    await sql`alter table processes add column stores text`.execute(tx);
  },
};
