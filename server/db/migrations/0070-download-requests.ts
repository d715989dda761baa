// One row for each request for bytes, and where each file of a download is in its body.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const downloadRequests: Migration = {
  name: '0070-download-requests',
  async up(tx) {
    await sql`alter table downloads add column position integer not null default 0`.execute(tx);
    await sql`alter table downloads add column body_start bigint not null default 0`.execute(tx);
    await sql`create table download_requests (
      owner_id text not null, number bigint not null, request bigint not null, files integer not null,
      started_at bigint not null, ended_at bigint, outcome text not null, range_start bigint not null,
      range_end bigint not null, taken_bytes bigint not null, at_most_bytes bigint, progress_at bigint,
      served_by text not null, remote_ip text not null, user_agent text not null, api_key_id text not null,
      proof_kind text not null, proof_id text not null, primary key (owner_id, number, request))`.execute(tx);
    await sql`create index download_requests_address on download_requests (remote_ip, started_at)`.execute(tx);
    await sql`create index download_requests_api_key on download_requests (api_key_id, started_at)
      where api_key_id <> ''`.execute(tx);
    await sql`create index download_requests_running on download_requests (served_by) where outcome = 'running'`.execute(
      tx,
    );
  },
};
