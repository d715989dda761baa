// Records the rows that one request inserts, and marks the values that differ each time, to insert similar rows elsewhere.
import { backup, DatabaseSync, type SQLOutputValue } from 'node:sqlite';

/** A constant, or a value to generate: equal `fresh` numbers get equal values. */
export type RecordedValue = { fixed: SQLOutputValue } | { fresh: number; length: number; isText: boolean };

export interface RecordedRow {
  table: string;
  columns: string[];
  values: RecordedValue[];
}

/** Copies a database that is in use. */
export async function copyDatabase(path: string, copyPath: string): Promise<void> {
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    await backup(source, copyPath);
  } finally {
    source.close();
  }
}

/**
 * Values that no earlier row has count as fresh, so a few similar requests must come before. Updates of existing rows are not
 * recorded.
 */
export async function recordRows(
  path: string,
  copyPath: string,
  request: () => Promise<unknown>,
): Promise<RecordedRow[]> {
  await copyDatabase(path, copyPath);
  await request();
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.prepare('attach ? as before').run(copyPath);
    const freshNumbers = new Map<string, number>();
    const rows = tablesOf(database).flatMap((table) => newRows(database, table, freshNumbers));
    if (rows.length === 0) throw new Error('the request has written no row');
    return rows;
  } finally {
    database.close();
  }
}

/** In the order of their creation, so that a row comes after the one that it references. */
function tablesOf(database: DatabaseSync): string[] {
  const query = `select name from main.sqlite_schema where type = 'table' and name not like 'sqlite_%' order by rowid`;
  return database
    .prepare(query)
    .all()
    .map((row) => String(row.name));
}

function newRows(database: DatabaseSync, table: string, freshNumbers: Map<string, number>): RecordedRow[] {
  const { keys, numbered } = keysOf(database, table);
  const isSameRow = keys.map((key) => `old."${key}" is new."${key}"`).join(' and ');
  const query = `select * from main."${table}" new
    where not exists (select 1 from before."${table}" old where ${isSameRow})`;
  return database
    .prepare(query)
    .all()
    .map((row) => {
      // The database numbers this column.
      const columns = Object.keys(row).filter((column) => column !== numbered);
      const values = columns.map((column): RecordedValue => {
        const value = row[column]!;
        const isText = typeof value === 'string';
        if (!isText && !(value instanceof Uint8Array)) return { fixed: value };
        const seen = `select 1 from before."${table}" where "${column}" = ? limit 1`;
        if (database.prepare(seen).get(value) !== undefined) return { fixed: value };
        const key = isText ? `text ${value}` : `bytes ${Buffer.from(value).toString('hex')}`;
        if (!freshNumbers.has(key)) freshNumbers.set(key, freshNumbers.size);
        return { fresh: freshNumbers.get(key)!, length: value.length, isText };
      });
      return { table, columns, values };
    });
}

function keysOf(database: DatabaseSync, table: string): { keys: string[]; numbered: string | null } {
  const columns = database.prepare('select name, type from pragma_table_info(?) where pk > 0').all(table);
  const keys = columns.map((column) => String(column.name));
  const isNumbered = keys.length === 1 && /^integer$/i.test(String(columns[0]!.type));
  return { keys: keys.length === 0 ? ['rowid'] : keys, numbered: isNumbered ? keys[0]! : null };
}
