// Messages that a second person releases.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const messageReviews: Migration = {
  name: '0095-message-reviews',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    await sql`alter table messages add column review_state text`.execute(tx);
    await sql`create table message_reviews (
      message_id text not null primary key, requested_at bigint not null, decided_at bigint, decided_by text not null,
      reason_sealed ${bytes})`.execute(tx);
    await sql`create index message_reviews_requested on message_reviews (requested_at)`.execute(tx);
  },
};
