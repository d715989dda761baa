// During an upgrade the previous version works with the tables of this one, so a migration only adds. A clean-up, which
// removes something or restricts what is written, belongs to a later version and names the migration that it needs.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Dialect as Compiling,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Dialect } from '../engine/db.ts';
import type { Migration } from '../engine/migrate.ts';
import { migrations } from './all.ts';

/** The statements of a migration, in lower case. */
async function statementsOf({ up }: Migration, dialect: Dialect): Promise<string[]> {
  const statements: string[] = [];
  const compiling: Compiling = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => (dialect === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
  };
  const db = new Kysely<unknown>({
    dialect: compiling,
    log({ query }) {
      statements.push(
        query.sql
          .replaceAll(/["\s]+/g, ' ')
          .trim()
          .toLowerCase(),
      );
    },
  });
  await up(db, dialect);
  return statements;
}

/** Statements after which a program of the previous version could fail. */
async function harmfulStatements(migration: Migration): Promise<string[]> {
  const found = new Set<string>();
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const statements = await statementsOf(migration, dialect);
    const created = (pattern: RegExp) => new Set(statements.map((each) => pattern.exec(each)?.[1]));
    const tables = created(/^create table (?:if not exists )?(\w+)/);
    const indexes = created(/^create (?:unique )?index (?:if not exists )?(\w+)/);
    for (const each of statements) {
      const droppedIndex = /^drop index (?:if exists )?(\w+)/.exec(each)?.[1];
      const restricted =
        /^create unique index .*?\bon (\w+)|^create trigger .*?\bon (\w+)|^alter table (\w+) add constraint/.exec(each);
      const table = restricted?.slice(1).find((name) => name !== undefined);
      const isHarmful =
        /\bdrop (table|column|constraint)\b|\brename (to|column|\w+ to)\b|\balter column\b/.test(each) ||
        (/\badd column\b.*\bnot null\b/.test(each) && !/\bdefault\b/.test(each)) ||
        (droppedIndex !== undefined && !indexes.has(droppedIndex)) ||
        (table !== undefined && !tables.has(table));
      if (isHarmful) found.add(each);
    }
  }
  return [...found];
}

describe('the migrations', () => {
  const names = migrations.map(({ name }) => name);

  test('only add, unless they are marked as a clean-up', async () => {
    for (const migration of migrations)
      if (migration.needs === undefined)
        assert.deepEqual(
          await harmfulStatements(migration),
          [],
          `${migration.name}: see CONTRIBUTING.md, "Migrations"`,
        );
  });

  test('a clean-up needs a migration that came before it', () => {
    for (const [at, { name, needs }] of migrations.entries())
      if (needs !== undefined) assert.ok(names.slice(0, at).includes(needs), `${name} needs ${needs}`);
  });
});

describe('a statement that could harm a program of the previous version', () => {
  const isHarmful = async (...statements: string[]) => {
    const up = async (tx: Kysely<unknown>) => {
      for (const statement of statements) await sql.raw(statement).execute(tx);
    };
    return (await harmfulStatements({ name: 'x', up })).length > 0;
  };

  test('is noticed', async () => {
    for (const statement of [
      'drop table trees',
      'alter table trees drop column height',
      'alter table trees rename column height to size',
      'alter table trees rename to plants',
      'alter table "trees" alter column height set not null',
      'alter table trees add constraint tall check (height > 1)',
      'alter table trees add column height\n bigint not null',
      'create unique index trees_height on trees (height)',
      'create trigger tall before insert on trees begin select 1; end',
      'drop index trees_height',
    ])
      assert.ok(await isHarmful(statement), statement);
  });

  test('is distinguished from additions', async () => {
    for (const statement of [
      "alter table trees add column kind text not null default 'oak'",
      'alter table trees add column height bigint',
      'alter table drop_keys add column drop_name text',
      'create index trees_height on trees (height)',
      'update trees set height = 1',
    ])
      assert.ok(!(await isHarmful(statement)), statement);
    assert.ok(
      !(await isHarmful('create table trees (id bigint not null)', 'create unique index tree_ids on trees (id)')),
    );
    assert.ok(!(await isHarmful('drop index tall', 'create index tall on trees (height, id)')));
  });
});
