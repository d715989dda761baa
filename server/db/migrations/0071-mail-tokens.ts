// Access tokens of the mail service, shared by all processes.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const mailTokens: Migration = {
  name: '0071-mail-tokens',
  async up(tx, dialect) {
    const { bytes } = columnTypes(dialect);
    await sql`create table mail_tokens (
      id text primary key, sealed ${bytes}, renew_at bigint not null, expires_at bigint not null,
      lease_ends_at bigint not null)`.execute(tx);
  },
};
