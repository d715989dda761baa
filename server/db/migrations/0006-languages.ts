// The language a person has chosen.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const languages: Migration = {
  name: '0006-languages',
  async up(tx) {
    await sql`alter table users add column language text`.execute(tx);
  },
};
