// What one request writes, read back from our own database: the rows it inserted, with the values that are different each
// time marked, so that somebody else can insert rows just like them.
import { backup, DatabaseSync, type SQLOutputValue } from 'node:sqlite';

/** A value that is the same each time, or one to be made anew: equal numbers in the rows of a request stay equal. */
export type RecordedValue = { fixed: SQLOutputValue } | { fresh: number; length: number; isText: boolean };

export interface RecordedRow {
  table: string;
  columns: string[];
  values: RecordedValue[];
}

/** A database that is in use, copied to where nobody changes it. */
export async function copyDatabase(path: string, copyPath: string): Promise<void> {
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    await backup(source, copyPath);
  } finally {
    source.close();
  }
}

/**
 * Something like `request` must have happened a few times before: what is not in the rows of those counts as made anew.
 * Updates of rows that were there are not recorded.
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

/** In the order they were made, so that a row comes after the one it refers to. */
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
      // A column that the database numbers by itself is left to it.
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
