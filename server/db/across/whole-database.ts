// Reads a whole database as of one moment, and fills an empty one, for backups and moves. Independent of the meaning of
// tables.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { migrate, withBaseline } from '../engine/migrate.ts';
import { type Snapshot, type TableShape, withSnapshot } from '../engine/snapshot.ts';
import type { SqlValue } from '../engine/values.ts';
import { migrations } from '../migrations/all.ts';
import type { LockedDb, Tables } from '../schema/schema.ts';

/** Only the names in this table are copied; creating the tables fills it. */
export const migrationsName = 'migrations';

/** The most parameters in one statement; SQLite takes 32,766. */
const parametersMax = 8000;

/** Creates the empty tables of the version that had run these migrations. Refuses those of a newer version. */
export async function createSchema(db: LockedDb, applied: readonly string[]): Promise<void> {
  const names = withBaseline(applied, migrations);
  const known = new Set(migrations.map(({ name }) => name));
  const newer = names.filter((name) => !known.has(name));
  if (newer.length > 0) throw new NewerSchema(newer);
  await migrate(
    db,
    migrations.filter(({ name }) => names.includes(name)),
  );
}

export class NewerSchema extends Error {
  constructor(names: readonly string[]) {
    super(`It was made by a newer version of the program (${names.join(', ')}). Install that version, then try again.`);
    this.name = 'NewerSchema';
  }
}

/** The name of a table that has rows; null when the database is empty. */
export async function findNonEmpty(url: string): Promise<string | null> {
  return withSnapshot(url, async (snapshot) => {
    for (const table of snapshot.tables) {
      if (table.name === migrationsName) continue;
      for await (const _ of snapshot.rows(table)) return table.name;
    }
    return null;
  });
}

export interface TableContents extends TableShape {
  /** Starts again at each call, because a transaction may be repeated. */
  rows(): AsyncIterable<SqlValue[]>;
}

/** Fills empty tables in one transaction, to which `finish` may add. */
export async function fillDatabase(
  db: LockedDb,
  contents: readonly TableContents[],
  finish: (tx: Parameters<Parameters<LockedDb['write']>[0]>[0]) => Promise<void>,
): Promise<void> {
  await db.write(async (tx) => {
    if (db.dialect === 'postgres') await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    for (const table of contents) await fillTable(tx, db.dialect, table);
    if (db.dialect === 'postgres') await catchUpNumbers(tx);
    await finish(tx);
  });
}

async function fillTable(tx: Kysely<Tables>, dialect: Snapshot['dialect'], table: TableContents): Promise<void> {
  const columns = sql.join(table.columns.map((column) => sql.ref(column)));
  // Identity columns keep their numbers.
  const overriding = dialect === 'postgres' ? sql`overriding system value` : sql``;
  const insert = async (rows: RawBuilder<unknown>[]) => {
    if (rows.length === 0) return;
    await sql`insert into ${sql.table(table.name)} (${columns}) ${overriding} values ${sql.join(rows)}`.execute(tx);
  };
  const most = Math.floor(parametersMax / table.columns.length);
  let batch: RawBuilder<unknown>[] = [];
  for await (const row of table.rows()) {
    batch.push(sql`(${sql.join(row)})`);
    if (batch.length < most) continue;
    await insert(batch);
    batch = [];
  }
  await insert(batch);
}

/** Continues identity columns after the highest number. */
async function catchUpNumbers(tx: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(tx);
  for (const { table, column } of rows)
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), max(${sql.ref(column)}))
      from ${sql.table(table)} having max(${sql.ref(column)}) is not null`.execute(tx);
}
