import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Kysely } from 'kysely';
import { type TestDatabase, testDialects } from '#test/kit/databases.ts';
import { connect } from './connect.ts';
import type { Db } from './db.ts';
import { type Param, prepared } from './prepared.ts';
import { cached } from './query-cache.ts';

interface Tables {
  files: { id: string; size: number };
}

const find = prepared((db: Kysely<Tables>, param: Param<{ id: string }>) =>
  db.selectFrom('files').select('size').where('id', '=', param('id')),
);
let runs = 0;
const findRemembered = cached(
  (db: Kysely<Tables>, params: { id: string }) => {
    runs++;
    return find(db, params);
  },
  ({ id }) => id,
);
const runsFor = async (work: () => Promise<unknown>) => {
  const before = runs;
  await work();
  return runs - before;
};

for (const { dialect, create } of testDialects()) {
  describe(`a cached query on ${dialect}`, () => {
    let database: TestDatabase;
    let db: Db<Tables>;

    before(async () => {
      database = await create();
      db = await connect<Tables>(database.url);
      await db.write(async (tx) => {
        await tx.schema
          .createTable('files')
          .addColumn('id', 'text', (column) => column.primaryKey())
          .addColumn('size', 'integer')
          .execute();
        await tx
          .insertInto('files')
          .values([
            { id: 'a', size: 1 },
            { id: 'b', size: 2 },
          ])
          .execute();
      });
    });
    after(async () => {
      await db.close();
      await database.drop();
    });

    const setSize = (to: Db<Tables>, id: string, size: number) =>
      to.write((tx) => tx.updateTable('files').set({ size }).where('id', '=', id).execute());
    const sizeOf = async (id: string) => (await findRemembered(db.read, { id }))[0]?.size;

    test('a commit of this process is seen by the next question', async () => {
      for (const size of [10, 11, 12]) {
        await setSize(db, 'a', size);
        assert.equal(await sizeOf('a'), size);
        assert.equal(await sizeOf('a'), size);
      }
    });

    test('a commit of another connection is seen by the next question', async () => {
      const other = await connect<Tables>(database.url);
      try {
        for (const size of [20, 21, 22]) {
          await setSize(other, 'a', size);
          assert.equal(await sizeOf('a'), size);
        }
      } finally {
        await other.close();
      }
    });

    test('a row that appears after an empty result is found', async () => {
      assert.equal(await sizeOf('new'), undefined);
      await db.write((tx) => tx.insertInto('files').values({ id: 'new', size: 5 }).execute());
      assert.equal(await sizeOf('new'), 5);
    });

    test('different parameters have different answers', async () => {
      await setSize(db, 'a', 31);
      assert.deepEqual([await sizeOf('a'), await sizeOf('b'), await sizeOf('a')], [31, 2, 31]);
    });

    test('inside a transaction the query runs and sees the own change', async () => {
      await sizeOf('a');
      await db.write(async (tx) => {
        await tx.updateTable('files').set({ size: 41 }).where('id', '=', 'a').execute();
        assert.equal((await findRemembered(tx, { id: 'a' }))[0]?.size, 41);
      });
    });

    test('a result from before a commit is not used again', async () => {
      await setSize(db, 'a', 50);
      const overtaken = cached(
        async (from: Kysely<Tables>, params: { id: string }) => {
          const rows = await find(from, params);
          if (rows[0]?.size === 50) await setSize(db, 'a', 51);
          return rows;
        },
        ({ id }) => id,
      );
      assert.equal((await overtaken(db.read, { id: 'a' }))[0]?.size, 50);
      assert.equal((await overtaken(db.read, { id: 'a' }))[0]?.size, 51);
    });

    test('while nothing is committed the query runs once on SQLite, and always on PostgreSQL', async () => {
      await setSize(db, 'a', 60);
      const count = await runsFor(async () => {
        for (let index = 0; index < 5; index++) await sizeOf('a');
      });
      assert.equal(count, dialect === 'sqlite' ? 1 : 5);
    });
  });
}

test('a commit that takes no time is seen by the next question, although one was asked just before it', async (t) => {
  const db = await connect<Tables>('sqlite::memory:');
  t.after(() => db.close());
  await db.write(async (tx) => {
    await tx.schema.createTable('files').addColumn('id', 'text').addColumn('size', 'integer').execute();
    await tx.insertInto('files').values({ id: 'a', size: 0 }).execute();
  });
  for (let size = 1; size <= 2000; size += 1) {
    await db.write(async (tx) => {
      await tx.updateTable('files').set({ size }).where('id', '=', 'a').execute();
      await findRemembered(db.read, { id: 'a' });
    });
    assert.equal((await findRemembered(db.read, { id: 'a' }))[0]?.size, size);
  }
});
