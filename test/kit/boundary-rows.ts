// Rows that match a statement in all columns but one. A correct statement returns or changes only the row that matches.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, before } from 'node:test';
import { Kysely } from 'kysely';
import { seededRandom } from '#server/lib/ids.ts';
import { openKeyring } from '#server/lib/keyring.ts';
import { copyMigratedFile } from '#test/kit/migrated.ts';
import { createSqliteConnection, createSqliteDialect } from '../../server/db/engine/sqlite-driver.ts';
import type { Query, Tables, Tx } from '../../server/db/schema/schema.ts';

type Name = keyof Tables;
type Work = (db: Query & Tx) => Promise<unknown>;

export interface Among<Table extends Name> {
  table: Table;
  right: Partial<Tables[Table]>;
  /** By column, one or several values that the statement must not match. */
  wrong: { [Column in keyof Tables[Table]]?: Tables[Table][Column] | Tables[Table][Column][] };
}

export interface Rows {
  readonly db: Query & Tx;
  /** Replaces all rows of the table. Other columns are null or minimal. */
  put<Table extends Name>(table: Table, ...rows: Partial<Tables[Table]>[]): void;
  all<Table extends Name>(table: Table): Tables[Table][];
  /** The changed columns of the matching row, or null when it is deleted; other rows must not change. */
  changes<Table extends Name>(among: Among<Table>, work: Work, becomes: Partial<Tables[Table]> | null): Promise<void>;
  /** What is found with the matching row; other rows must yield the same as no row. */
  finds<Table extends Name>(among: Among<Table>, work: Work, expected: unknown): Promise<void>;
}

/**
 * A database without foreign keys, checks, triggers and indexes but unique ones; `isReversed` reverses any unrequested
 * order.
 */
export function useRows({ isReversed = false } = {}): Rows {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-rows-'));
  let database: DatabaseSync;
  let db: Query & Tx;
  before(async () => {
    await copyMigratedFile(folder);
    database = new DatabaseSync(join(folder, 'waybill.db'), { enableForeignKeyConstraints: false });
    database.exec('pragma synchronous = off; pragma ignore_check_constraints = on');
    if (isReversed) database.exec('pragma reverse_unordered_selects = on');
    const isLeftOut = (sql: unknown) => /^create (index|trigger)/i.test(String(sql));
    for (const { type, name, sql } of database.prepare('select type, name, sql from sqlite_schema').all())
      if (isLeftOut(sql)) database.exec(`drop ${type} "${name}"`);
    const connection = createSqliteConnection(database, 'reader', 0);
    const kysely = new Kysely<Tables>({ dialect: createSqliteDialect(connection, 'reader') });
    const keys = openKeyring(Buffer.alloc(32, 1), seededRandom('rows'));
    db = Object.assign(kysely, { keys }) as unknown as Query & Tx;
  });
  after(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function put(table: Name, ...rows: object[]): void {
    database.exec(`delete from "${table}"`);
    for (const row of rows) {
      const whole = Object.entries({ ...leastOf(database, table), ...row });
      const names = whole.map(([name]) => `"${name}"`).join();
      const insert = `insert into "${table}" (${names}) values (${whole.map(() => '?').join()})`;
      database.prepare(insert).run(...whole.map(([, value]) => value as SQLInputValue));
    }
  }
  const all = <Table extends Name>(table: Table) => [...allOf(database, table)] as unknown as Tables[Table][];

  return {
    get db() {
      return db;
    },
    put,
    all,
    async changes({ table, right, wrong }, work, becomes) {
      for (const [what, row] of nearly(right, wrong)) {
        put(table, row);
        const [was] = all(table);
        await work(db);
        const expected = what !== 'right' ? [was] : becomes === null ? [] : [{ ...was, ...becomes }];
        assert.deepEqual(all(table), expected, what);
      }
    },
    async finds({ table, right, wrong }, work, expected) {
      put(table);
      const withoutRow = await work(db);
      assert.notDeepEqual(withoutRow, expected);
      for (const [what, row] of nearly(right, wrong)) {
        put(table, row);
        assert.deepEqual(await work(db), what === 'right' ? expected : withoutRow, what);
      }
    },
  };
}

function nearly(right: object, wrong: object): [what: string, row: object][] {
  const rows: [string, object][] = Object.entries(wrong).flatMap(([column, values]) =>
    [values].flat().map((value): [string, object] => [`${column} is ${value}`, { ...right, [column]: value }]),
  );
  return [...rows, ['right', right]];
}

function allOf(database: DatabaseSync, table: string): object[] {
  const plain = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value) : value);
  return database
    .prepare(`select * from "${table}"`)
    .all()
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

/** The columns that may not be null. */
function leastOf(database: DatabaseSync, table: string): object {
  const columns = database.prepare(`pragma table_info("${table}")`).all();
  const needed = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  return Object.fromEntries(
    needed.map(({ name, type }) => [name, { TEXT: '', BLOB: Buffer.alloc(0) }[String(type).toUpperCase()] ?? 0]),
  );
}
