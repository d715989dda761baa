// The last error of each witness that the log asks.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const witnessErrors: Migration = {
  name: '0098-witness-errors',
  async up(tx) {
    for (const statement of [
      sql`alter table evidence_witnesses add column failing_since bigint`,
      sql`alter table evidence_witnesses add column last_error text not null default ''`,
    ])
      await statement.execute(tx);
  },
};
