// Counters under keyed hashes with what administrators see of them, and the networks that people sign in from
// (docs/adr/0108). Counters of earlier versions have names and addresses in their keys, so they end here.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const attemptLimits: Migration = {
  name: '0068-attempt-limits',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    for (const statement of [
      sql`delete from attempts`,
      sql`alter table attempts add column kind text not null default ''`,
      sql`alter table attempts add column about text not null default ''`,
      sql`alter table attempts add column network text not null default ''`,
      sql`alter table attempts add column began_at bigint not null default 0`,
      sql`create table sign_in_networks (
        user_id text not null, network_hash ${bytes} not null, last_at bigint not null,
        primary key (user_id, network_hash))`,
      sql`create index sign_in_networks_by_time on sign_in_networks (last_at)`,
    ])
      await statement.execute(tx);
  },
};
