import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { connect } from './connect.ts';
import { type TestDatabase, testDialects } from './database.kit.ts';
import type { Db } from './db.ts';
import { type Migration, migrate, pendingMigrations } from './migrate.ts';

const first: Migration = {
  name: '0001-trees',
  up: async (tx) => {
    await tx.schema.createTable('trees').addColumn('id', 'bigint').execute();
  },
};
const second: Migration = {
  name: '0002-heights',
  up: async (tx) => {
    await tx.schema.alterTable('trees').addColumn('height', 'bigint').execute();
    await sql`insert into trees (id, height) values (1, 12)`.execute(tx);
  },
};
const broken: Migration = {
  name: '0003-broken',
  up: async (tx) => {
    await sql`insert into trees (id, height) values (2, 13)`.execute(tx);
    await tx.schema.createTable('half').addColumn('id', 'bigint').execute();
    throw new Error('no further');
  },
};

for (const { dialect, create } of testDialects()) {
  describe(`migrate on ${dialect}`, () => {
    let database: TestDatabase;
    let db: Db<unknown>;
    beforeEach(async () => {
      database = await create();
      db = await connect<unknown>(database.url);
    });
    afterEach(async () => {
      await db.close();
      await database.drop();
    });
    const trees = async () => (await sql`select id, height from trees`.execute(db.read)).rows;

    test('a database of a newer version is refused and left alone', async () => {
      await migrate(db, [first, second]);
      await assert.rejects(migrate(db, [first]), /newer version.*0002-heights/);
      await assert.rejects(pendingMigrations(db, [first]), /newer version/);
    });

    test('a list that names one migration twice is refused', async () => {
      await assert.rejects(migrate(db, [first, first]), /0001-trees is listed twice/);
      assert.deepEqual(await pendingMigrations(db, [first]), ['0001-trees']);
    });

    test('one that fails leaves nothing of itself, keeps those before it, and can be mended', async () => {
      await assert.rejects(migrate(db, [first, second, broken]), /no further/);
      assert.deepEqual(await trees(), [{ id: 1, height: 12 }]);
      assert.deepEqual(await pendingMigrations(db, [first, second, broken]), ['0003-broken']);
      await migrate(db, [first, second, { name: '0003-broken', up: async () => {} }]);
      assert.deepEqual(await trees(), [{ id: 1, height: 12 }]);
    });

    test('each missing one runs once, in order, and is recorded with its instant', async () => {
      assert.deepEqual(await pendingMigrations(db, [first, second]), ['0001-trees', '0002-heights']);
      assert.deepEqual(await migrate(db, [first], () => 1000), ['0001-trees']);
      assert.deepEqual(await migrate(db, [first, second], () => 2000), ['0002-heights']);
      assert.deepEqual(await migrate(db, [first, second], () => 3000), []);
      assert.deepEqual(await pendingMigrations(db, [first, second]), []);
      assert.deepEqual((await sql`select name, applied_at from migrations order by name`.execute(db.read)).rows, [
        { name: '0001-trees', applied_at: 1000 },
        { name: '0002-heights', applied_at: 2000 },
      ]);
    });

    test('several that start at once run each migration once', async () => {
      const others = await Promise.all(Array.from({ length: 4 }, () => connect<unknown>(database.url)));
      const ran = await Promise.all([db, ...others].map((each) => migrate(each, [first, second])));
      await Promise.all(others.map((other) => other.close()));
      assert.deepEqual(ran.flat().sort(), ['0001-trees', '0002-heights']);
      assert.deepEqual(await trees(), [{ id: 1, height: 12 }]);
    });
  });
}
