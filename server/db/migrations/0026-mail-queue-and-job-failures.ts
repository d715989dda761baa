// Lists of mails for administrators page by an index, and jobs keep their last failure.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const mailQueueAndJobFailures: Migration = {
  name: '0026-mail-queue-and-job-failures',
  async up(tx) {
    const statements = [
      sql`create index outbox_newest on outbox (created_at, id)`,
      sql`create index outbox_waiting on outbox (created_at, id) where state in ('pending', 'sending')`,
      sql`create index outbox_by_state on outbox (state, created_at, id)`,
      sql`create index outbox_refused on outbox (finished_at) where state = 'failed'`,
      sql`alter table jobs add column failures integer not null default 0`,
      sql`alter table jobs add column failed_at bigint`,
      sql`alter table jobs add column failure text not null default ''`,
      sql`alter table jobs add column took_ms bigint`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
