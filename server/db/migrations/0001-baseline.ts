// The tables of the first release. `server/db/schema/` says what each column means.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';
import { accountTables } from './0001-baseline-accounts.ts';
import { downloadTables } from './0001-baseline-downloads.ts';
import { eventTriggers } from './0001-baseline-event-triggers.ts';
import { evidenceTables } from './0001-baseline-evidence.ts';
import { fileTables } from './0001-baseline-files.ts';
import { systemTables } from './0001-baseline-system.ts';
import { transferTables } from './0001-baseline-transfers.ts';
import { columnTypes } from './0001-baseline-types.ts';

export const baseline: Migration = {
  name: '0001-baseline',
  replaces: '0069-console-views',
  async up(tx, dialect) {
    const types = columnTypes(dialect);
    const statements = [accountTables, fileTables, transferTables, downloadTables, evidenceTables, systemTables]
      .flatMap((tables) => tables(types))
      .concat(eventTriggers(dialect));
    for (const statement of statements) await statement.execute(tx);
    // SQLite searches users in an index alone. PostgreSQL limits the size of an index entry, and reads whole tables quickly.
    if (dialect === 'sqlite')
      await sql`create index users_searched on users (email, id, state, group_id, search_text)`.execute(tx);
  },
};
