// Statements that administrators make: what ended when somebody left, what an account, a key, an address or a network was
// exposed to. With which API key a file was downloaded, so that the statement about a key is exact.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const statements: Migration = {
  name: '0034-statements',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    await sql`create table statements (
      id text primary key, kind text not null, state text not null, about_user_id text not null, made_by text not null,
      begun_seq bigint not null, document_sealed ${bytes} not null, note text not null, created_at bigint not null,
      finished_at bigint)`.execute(tx);
    await sql`create index statements_by_time on statements (created_at, id)`.execute(tx);
    await sql`create index statements_by_person on statements (about_user_id, created_at) where about_user_id <> ''`.execute(
      tx,
    );
    // One at a time for each person: a second call joins the first.
    await sql`create unique index statements_open on statements (about_user_id) where state = 'open'`.execute(tx);
    await sql`alter table downloads add column api_key_id text not null default ''`.execute(tx);
    await sql`create index downloads_recipient on downloads (recipient, granted_at) where recipient <> ''`.execute(tx);
    await sql`create index downloads_address on downloads (remote_ip, granted_at)`.execute(tx);
    await sql`create index downloads_api_key on downloads (api_key_id, granted_at) where api_key_id <> ''`.execute(tx);
  },
};
