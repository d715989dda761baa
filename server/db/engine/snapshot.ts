// Reads every table of a database as of one moment, in batches, through a separate connection, while the service
// continues to write.
import { resolve } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import type { Dialect } from './db.ts';
import { DatabaseUnavailable } from './errors.ts';
import { getTypeParser } from './postgres.ts';
import { translatePostgresError } from './postgres-errors.ts';
import { openSqliteConnection } from './sqlite-open.ts';
import type { SqlValue } from './values.ts';

export interface TableShape {
  name: string;
  columns: string[];
}

export interface Snapshot {
  dialect: Dialect;
  /** Every table, referenced ones first. */
  tables: TableShape[];
  /** The rows of a table as lists of values, in batches. One table at a time. */
  rows(table: TableShape): AsyncIterable<SqlValue[][]>;
}

const batchRows = 500;

export async function withSnapshot<Result>(
  url: string,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  return url.startsWith('sqlite:') ? onSqlite(resolve(url.slice('sqlite:'.length)), work) : onPostgres(url, work);
}

async function onSqlite<Result>(path: string, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  const database = await openSqliteConnection(path, 'reader');
  try {
    // The first read determines what this transaction sees.
    database.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    const tables = listSqliteTables(database);
    return await work({ dialect: 'sqlite', tables, rows: (table) => sqliteRows(database, table) });
  } finally {
    database.close();
  }
}

function listSqliteTables(database: DatabaseSync): TableShape[] {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .all()
    .map(({ name }) => String(name));
  const shapes = names.map((name) => ({
    name,
    columns: database
      .prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid')
      .all(name)
      .map((column) => String(column.name)),
  }));
  const references = database
    .prepare(
      `SELECT tables.name AS child, keys."table" AS parent FROM sqlite_schema AS tables,
        pragma_foreign_key_list(tables.name) AS keys WHERE tables.type = 'table'`,
    )
    .all()
    .map(({ child, parent }) => ({ child: String(child), parent: String(parent) }));
  return parentsFirst(shapes, references);
}

async function* sqliteRows(database: DatabaseSync, table: TableShape): AsyncGenerator<SqlValue[][]> {
  const statement: StatementSync = database.prepare(selectAll(table));
  statement.setReturnArrays(true);
  let batch: SqlValue[][] = [];
  for (const row of statement.iterate() as unknown as Iterable<SqlValue[]>) {
    batch.push(row);
    if (batch.length < batchRows) continue;
    yield batch;
    batch = [];
    // Reading is synchronous, so other work gets its turn here.
    await nextTurn();
  }
  if (batch.length > 0) yield batch;
}

async function onPostgres<Result>(url: string, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: 'waybill snapshot',
    types: { getTypeParser },
  });
  // The running query rejects as well; without a listener the error would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`begin isolation level repeatable read read only;
      set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local timezone = 'UTC'`);
    const tables = await listPostgresTables(client);
    return await work({ dialect: 'postgres', tables, rows: (table) => postgresRows(client, table) });
  } catch (error) {
    const translated = translatePostgresError(error);
    throw translated instanceof DatabaseUnavailable ? translated : error;
  } finally {
    await client.end().catch(() => {});
  }
}

async function listPostgresTables(client: pg.Client): Promise<TableShape[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    select tables.tablename as name, array_agg(columns.column_name::text order by columns.ordinal_position) as columns
    from pg_tables as tables join information_schema.columns as columns
      on columns.table_schema = tables.schemaname and columns.table_name = tables.tablename
    where tables.schemaname = current_schema() group by tables.tablename order by tables.tablename collate "C"`);
  const { rows: references } = await client.query<{ child: string; parent: string }>(`
    select child.relname as child, parent.relname as parent from pg_constraint
    join pg_class as child on child.oid = conrelid join pg_class as parent on parent.oid = confrelid
    where contype = 'f' and connamespace = current_schema()::regnamespace`);
  return parentsFirst(rows, references);
}

async function* postgresRows(client: pg.Client, table: TableShape): AsyncGenerator<SqlValue[][]> {
  await client.query(`declare all_rows no scroll cursor for ${selectAll(table)}`);
  for (;;) {
    const text = `fetch ${batchRows} from all_rows`;
    const { rows } = await client.query<SqlValue[]>({ text, rowMode: 'array' });
    if (rows.length > 0) yield rows;
    if (rows.length < batchRows) break;
  }
  await client.query('close all_rows');
}

function selectAll({ name, columns }: TableShape): string {
  return `select ${columns.map(quoted).join(', ')} from ${quoted(name)}`;
}

/** Names such as `groups` need quotes. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function parentsFirst(tables: TableShape[], references: { child: string; parent: string }[]): TableShape[] {
  const sorted: TableShape[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const isWaiting = (name: string) => waiting.some((table) => table.name === name);
    const isFree = ({ name }: TableShape) =>
      !references.some(({ child, parent }) => child === name && parent !== name && isWaiting(parent));
    const free = waiting.filter(isFree);
    if (free.length === 0) throw new Error('tables refer to each other in a circle');
    sorted.push(...free);
    waiting = waiting.filter((table) => !free.includes(table));
  }
  return sorted;
}
