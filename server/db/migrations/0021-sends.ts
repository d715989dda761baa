// What each send asked for and under which rules it was judged, so that changed rules can be tried on real sends.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const sends: Migration = {
  name: '0021-sends',
  async up(tx, dialect) {
    await sql`create table policy_documents (
      id text not null primary key, is_local integer not null, document text not null)`.execute(tx);
    // In the order in which sends arrive and are read: every further index costs each send.
    await sql`create table sends (
      id text not null, kind text not null, user_id text not null, group_id text not null, policy_id text not null,
      facts text not null, sent_at bigint not null, primary key (group_id, sent_at, id))
      ${sql.raw(dialect === 'sqlite' ? 'without rowid' : '')}`.execute(tx);
    await sql`create index sends_by_user on sends (user_id)`.execute(tx);
    await sql`create index sends_by_age on sends (sent_at)`.execute(tx);
  },
};
