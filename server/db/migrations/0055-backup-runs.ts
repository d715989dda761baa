// What became of backups and of restore drills, for the console and for alerts.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const backupRuns: Migration = {
  name: '0055-backup-runs',
  async up(tx) {
    await sql`create table backup_runs (
      kind text not null,
      started_at bigint not null,
      finished_at bigint not null,
      failure text,
      snapshot_id text not null,
      files bigint not null,
      bytes bigint not null,
      primary key (kind, started_at)
    )`.execute(tx);
  },
};
