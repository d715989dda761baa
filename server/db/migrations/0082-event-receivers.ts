// Webhooks with their latest deliveries, and the positions of event streams.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const eventReceivers: Migration = {
  name: '0082-event-receivers',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    const statements = [
      sql`create table webhooks (
        id text primary key, host text not null, address_sealed ${bytes} not null, secret_sealed ${bytes} not null,
        previous_secret_sealed ${bytes}, previous_secret_ends_at bigint, format text not null, events text not null,
        state text not null, generation bigint not null, position bigint not null, ahead text not null,
        deliveries bigint not null, attempts bigint not null, first_failed_at bigint, next_at bigint not null,
        last_error text not null, delivered_at bigint, lease_holder text not null, lease_ends_at bigint not null,
        created_at bigint not null, updated_at bigint not null)`,
      sql`create table webhook_deliveries (
        webhook_id text not null, number bigint not null, seq bigint not null, action text not null,
        at bigint not null, took_ms bigint not null, status bigint, error text not null,
        primary key (webhook_id, number))`,
      sql`create table event_streams (
        name text primary key, position bigint not null, attempts bigint not null, first_failed_at bigint,
        next_at bigint not null, last_error text not null, delivered_at bigint)`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
