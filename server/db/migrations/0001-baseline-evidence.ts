// Events, the log that proves them, and what rests on it.
import { type RawBuilder, sql } from 'kysely';
import type { ColumnTypes } from './0001-baseline-types.ts';

export function evidenceTables({ sequence, bytes }: ColumnTypes): RawBuilder<unknown>[] {
  return [
    sql`create table events (
      seq ${sequence}, at bigint not null, action text not null, actor_kind text not null,
      actor_id text not null, object_kind text not null, object_id text not null, owner_id text not null,
      facts text not null, remote_ip text not null, request_id text not null, salt ${bytes}, opening text)`,
    sql`create index events_action on events (action, seq)`,
    sql`create index events_actor on events (actor_id, seq) where actor_id <> ''`,
    sql`create index events_at on events (at, seq)`,
    sql`create index events_object on events (object_kind, object_id, seq)`,
    sql`create index events_owner on events (owner_id, seq) where owner_id <> ''`,
    sql`create table evidence_log (
      id integer primary key, origin text not null, size bigint not null, last_seq bigint not null,
      edge ${bytes} not null, note text not null, sealed_at bigint not null)`,
    sql`create table evidence_checkpoints (
      size bigint primary key, last_seq bigint not null, note text not null, cosignatures text not null,
      created_at bigint not null)`,
    sql`create index evidence_checkpoints_seq on evidence_checkpoints (last_seq)`,
    sql`create table evidence_keys (
      id integer primary key, verifier_key text not null, sealed ${bytes}, endorsement text not null,
      created_at bigint not null)`,
    sql`create table evidence_witnesses (
      verifier_key text primary key, size bigint not null, witnessed_at bigint not null,
      created_at bigint not null)`,
    sql`create table statements (
      id text primary key, kind text not null, state text not null, about_user_id text not null,
      made_by text not null, begun_seq bigint not null, document_sealed ${bytes} not null, note text not null,
      created_at bigint not null, finished_at bigint)`,
    sql`create index statements_by_person on statements (about_user_id, created_at) where about_user_id <> ''`,
    sql`create index statements_by_time on statements (created_at, id)`,
    // One open statement for each user: a second call joins the first.
    sql`create unique index statements_open on statements (about_user_id) where state = 'open'`,
    sql`create table legal_holds (
      id text primary key, target_kind text not null, target_id text not null, owner_id text not null,
      reason text not null, set_by text not null, set_at bigint not null, lift_reason text not null,
      lifted_by text not null, lifted_at bigint)`,
    sql`create index legal_holds_by_time on legal_holds (set_at, id)`,
    sql`create unique index legal_holds_in_force on legal_holds (target_kind, target_id) where lifted_at is null`,
    sql`create table erasures (
      id text primary key, person_sealed ${bytes} not null, swept_seq bigint not null,
      created_at bigint not null)`,
  ];
}
