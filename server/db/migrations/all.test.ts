// During an upgrade the version before works with the tables of this one, so a migration only adds. What takes something
// away, or demands more of what is written, is a clean-up of a later version and says what programs need to know for it.
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

/** Programs that know no further than this refuse every newer database, so nothing before had to be additive. */
const lastBeforeTheRule = '0055-backup-runs';

/** What it does, as it would be sent. */
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

/** Statements after which a program that did not expect them could fail. */
async function hardOn(migration: Migration): Promise<string[]> {
  const found = new Set<string>();
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const statements = await statementsOf(migration, dialect);
    const made = (pattern: RegExp) => new Set(statements.map((each) => pattern.exec(each)?.[1]));
    const tables = made(/^create table (?:if not exists )?(\w+)/);
    const indexes = made(/^create (?:unique )?index (?:if not exists )?(\w+)/);
    for (const each of statements) {
      const droppedIndex = /^drop index (?:if exists )?(\w+)/.exec(each)?.[1];
      const narrowed =
        /^create unique index .*?\bon (\w+)|^create trigger .*?\bon (\w+)|^alter table (\w+) add constraint/.exec(each);
      const table = narrowed?.slice(1).find((name) => name !== undefined);
      const isHard =
        /\bdrop (table|column|constraint)\b|\brename (to|column|\w+ to)\b|\balter column\b/.test(each) ||
        (/\badd column\b.*\bnot null\b/.test(each) && !/\bdefault\b/.test(each)) ||
        (droppedIndex !== undefined && !indexes.has(droppedIndex)) ||
        (table !== undefined && !tables.has(table));
      if (isHard) found.add(each);
    }
  }
  return [...found];
}

describe('the migrations', () => {
  const names = migrations.map(({ name }) => name);
  const ruled = migrations.slice(names.indexOf(lastBeforeTheRule) + 1);

  test('only add, unless they are marked as a clean-up', async () => {
    for (const migration of ruled)
      if (migration.needs === undefined)
        assert.deepEqual(await hardOn(migration), [], `${migration.name}: see CONTRIBUTING.md, "Migrations"`);
  });

  test('a clean-up needs a migration that came before it', () => {
    for (const [at, { name, needs }] of migrations.entries())
      if (needs !== undefined) assert.ok(names.slice(0, at).includes(needs), `${name} needs ${needs}`);
  });
});

describe('what could harm a program of the version before', () => {
  const isHard = async (...statements: string[]) => {
    const up = async (tx: Kysely<unknown>) => {
      for (const statement of statements) await sql.raw(statement).execute(tx);
    };
    return (await hardOn({ name: 'x', up })).length > 0;
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
      assert.ok(await isHard(statement), statement);
  });

  test('is told from what is new', async () => {
    for (const statement of [
      "alter table trees add column kind text not null default 'oak'",
      'alter table trees add column height bigint',
      'alter table drop_keys add column drop_name text',
      'create index trees_height on trees (height)',
      'update trees set height = 1',
    ])
      assert.ok(!(await isHard(statement)), statement);
    assert.ok(!(await isHard('create table trees (id bigint not null)', 'create unique index tree_ids on trees (id)')));
    assert.ok(!(await isHard('drop index tall', 'create index tall on trees (height, id)')));
  });
});
