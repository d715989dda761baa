// The Merkle log of events takes the place of the hash chain: salts beside each event, the head of the log, its
// checkpoints, signing keys and witnesses. Events that are there already get salts and are sealed by the job.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const evidence: Migration = {
  name: '0030-evidence',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const random = sql.raw(
      dialect === 'sqlite' ? 'randomblob(16)' : `decode(replace(gen_random_uuid()::text, '-', ''), 'hex')`,
    );
    const release =
      dialect === 'sqlite'
        ? [sql`drop trigger events_no_delete`, sql`drop trigger events_no_update`]
        : [
            sql`drop trigger events_append_only on events`,
            sql`drop trigger events_no_truncate on events`,
            sql`drop function events_append_only()`,
          ];
    const statements = [
      ...release,
      sql`drop index events_unsealed`,
      sql`alter table events add column salt ${bytes}`,
      sql`alter table events add column opening text`,
      sql`update events set salt = ${random}`,
      sql`alter table events drop column hash`,
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
        verifier_key text primary key, size bigint not null, witnessed_at bigint not null, created_at bigint not null)`,
    ];
    for (const statement of statements) await statement.execute(tx);
    await refuseChanges(tx, dialect);
  },
};

const fixed = ['seq', 'at', 'action', 'actor_kind', 'object_kind'];
const erasable = ['actor_id', 'object_id', 'owner_id', 'remote_ip', 'request_id'];

/** Events may only be appended; the one permitted change blanks what an erasure destroys the salts of. */
async function refuseChanges(tx: Parameters<Migration['up']>[0], dialect: 'sqlite' | 'postgres'): Promise<void> {
  const conditions = [
    ...fixed.map((name) => `new.${name} = old.${name}`),
    ...erasable.map((name) => `(new.${name} = old.${name} or new.${name} = '')`),
    'new.salt is null',
    'new.opening is not null',
  ];
  const isErasure = sql.raw(conditions.join(' and '));
  const statements =
    dialect === 'sqlite'
      ? [
          sql`create trigger events_no_delete before delete on events
            begin select raise(abort, 'events are append-only'); end`,
          sql`create trigger events_no_update before update on events when not (${isErasure})
            begin select raise(abort, 'events are append-only'); end`,
        ]
      : [
          sql`create function events_append_only() returns trigger language plpgsql as $$
            begin
              if tg_op = 'UPDATE' then
                if ${isErasure} then return new; end if;
              end if;
              raise exception 'events are append-only';
            end $$`,
          sql`create trigger events_append_only before update or delete on events
            for each row execute function events_append_only()`,
          sql`create trigger events_no_truncate before truncate on events
            for each statement execute function events_append_only()`,
        ];
  for (const statement of statements) await statement.execute(tx);
}
