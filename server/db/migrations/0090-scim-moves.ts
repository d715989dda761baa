// When SCIM last took a person out of a group, for the limit of mass changes.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const scimMoves: Migration = {
  name: '0090-scim-moves',
  async up(tx) {
    await sql`alter table scim_users add column moved_at bigint`.execute(tx);
  },
};
