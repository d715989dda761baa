import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CamelCasePlugin, type Kysely, sql } from 'kysely';
import { type TestDatabase, testDialects } from '#test/kit/databases.ts';
import { connect } from './connect.ts';
import type { Db } from './db.ts';
import { type Param, prepared, preparedIn, preparedList, preparedRows } from './prepared.ts';

interface Tables {
  files: { id: string; size: number; owner: string | null };
}

let built = 0;
const findLarge = prepared((db: Kysely<Tables>, param: Param<{ owner: string; least: number }>) => {
  built++;
  return db
    .selectFrom('files')
    .select(['id', 'size'])
    .where('size', '>=', param('least'))
    .where('owner', '=', param('owner'))
    .where('id', '!=', 'constant')
    .orderBy('id');
});
const insert = prepared((db: Kysely<Tables>, param: Param<{ id: string; size: number; owner: string | null }>) =>
  db.insertInto('files').values({ id: param('id'), size: param('size'), owner: param('owner') }),
);
const grow = prepared((db: Kysely<Tables>, param: Param<{ id: string; by: number }>) =>
  db
    .updateTable('files')
    .set({ size: sql<number>`size + ${param('by')}` })
    .where('id', '=', param('id'))
    .returning('size'),
);
const shrink = prepared((db: Kysely<Tables>, param: Param<{ id: string }>) =>
  db.updateTable('files').set({ size: 0 }).where('id', '=', param('id')),
);
const remove = prepared((db: Kysely<Tables>, param: Param<{ id: string }>) =>
  db.deleteFrom('files').where('id', '=', param('id')),
);

let builtForRows = 0;
const insertRows = preparedRows<Tables, Tables['files']>({ id: true, size: true, owner: true }, (db, rows) => {
  builtForRows++;
  return db.insertInto('files').values(rows);
});

const growAll = preparedList((db: Kysely<Tables>, ids, param: Param<{ by: number }>) =>
  db
    .updateTable('files')
    .set({ size: sql<number>`size + ${param('by')}` })
    .where('id', 'in', ids)
    .returning(['id', 'size']),
);

const listAll = preparedIn((db: Kysely<Tables>, ids) => db.selectFrom('files').select('id').where('id', 'in', ids));

const oddText = `it's "half" a \\ and $1, ? or -- nothing; é`;
const takeOver = prepared((db: Kysely<Tables>, param: Param<{ id: string }>) =>
  db.updateTable('files').set({ owner: oddText }).where('id', '=', param('id')),
);
const findTaken = prepared((db: Kysely<Tables>, param: Param<{ least: number }>) =>
  db.selectFrom('files').select('id').where('owner', '=', oddText).where('size', '>=', param('least')),
);

for (const { dialect, create } of testDialects()) {
  describe(`prepared on ${dialect}`, () => {
    let database: TestDatabase;
    let db: Db<Tables>;

    before(async () => {
      database = await create();
      db = await connect<Tables>(database.url);
      await db.write(async (tx) => {
        await tx.schema
          .createTable('files')
          .addColumn('id', 'text', (column) => column.primaryKey())
          .addColumn('size', 'bigint')
          .addColumn('owner', 'text')
          .execute();
        for (const id of ['a', 'b', 'c', 'constant']) await insert(tx, { id, size: id.charCodeAt(0), owner: 'me' });
        await insert(tx, { id: 'd', size: 1000, owner: null });
      });
    });
    after(async () => {
      await db.close();
      await database.drop();
    });

    test('a text of the query itself stands in it, whatever it holds, so that a plan can count on it', async () => {
      const given: (readonly unknown[])[] = [];
      const executor = db.read.getExecutor();
      const { executeQuery } = executor;
      executor.executeQuery = (query) => {
        given.push(query.parameters);
        return executeQuery.call(executor, query) as never;
      };
      await db.write(async (tx) => {
        await insert(tx, { id: 'taken', size: 7, owner: null });
        await takeOver(tx, { id: 'taken' });
      });
      assert.deepEqual(await findTaken(db.read, { least: 7 }), [{ id: 'taken' }]);
      assert.deepEqual(await findTaken(db.read, { least: 8 }), []);
      executor.executeQuery = executeQuery;
      assert.deepEqual(given, [[7], [8]]);
      await db.write((tx) => remove(tx, { id: 'taken' }));
    });

    test('a missing parameter is refused', async () => {
      await assert.rejects(
        findLarge(db.read, { owner: 'me' } as { owner: string; least: number }),
        /needs the parameter least/,
      );
      await assert.rejects(findLarge(db.read, { owner: 'me', least: undefined as unknown as number }), TypeError);
    });

    test('answers as the plain query does, run after run', async () => {
      const plain = (owner: string, least: number) =>
        db.read
          .selectFrom('files')
          .select(['id', 'size'])
          .where('size', '>=', least)
          .where('owner', '=', owner)
          .where('id', '!=', 'constant')
          .orderBy('id')
          .execute();
      for (const [owner, least] of [
        ['me', 98],
        ['me', 0],
        ['you', 0],
        ['me', 98],
      ] as const) {
        assert.deepEqual(await findLarge(db.read, { owner, least }), await plain(owner, least));
      }
      assert.equal((await findLarge(db.read, { owner: 'me', least: 98 })).length, 2);
    });

    test('sees the rows of its transaction', async () => {
      const failure = new Error('undo');
      const attempt = db.write(async (tx) => {
        await insert(tx, { id: 'e', size: 500, owner: 'me' });
        assert.deepEqual(await findLarge(tx, { owner: 'me', least: 400 }), [{ id: 'e', size: 500 }]);
        assert.deepEqual(await findLarge(db.read, { owner: 'me', least: 400 }), []);
        throw failure;
      });
      await assert.rejects(attempt, failure);
    });

    test('changes give their rows or their count', async () => {
      await db.write(async (tx) => {
        await insert(tx, { id: 'f', size: 1, owner: 'x' });
        assert.deepEqual(await grow(tx, { id: 'f', by: 4 }), [{ size: 5 }]);
        assert.deepEqual(await grow(tx, { id: 'none', by: 4 }), []);
        assert.equal((await shrink(tx, { id: 'f' }))[0]!.numUpdatedRows, 1n);
        assert.equal((await remove(tx, { id: 'f' }))[0]!.numDeletedRows, 1n);
        assert.equal((await remove(tx, { id: 'f' }))[0]!.numDeletedRows, 0n);
      });
    });

    test('is built once, whatever runs it', async () => {
      const before = built;
      await findLarge(db.read, { owner: 'me', least: 1 });
      await db.write((tx) => findLarge(tx, { owner: 'me', least: 2 }));
      assert.equal(built, before);
    });

    test('rows of any number are inserted whole and in few statements', async () => {
      for (const count of [0, 1, 3, 16, 17, 40, 40]) {
        const rows = Array.from({ length: count }, (_, index) => ({
          id: `row-${index}`,
          size: index,
          owner: index % 2 === 0 ? null : `o${index}`,
        }));
        await db.write(async (tx) => {
          await tx.deleteFrom('files').where('id', 'like', 'row-%').execute();
          await insertRows(tx, rows);
        });
        const written = db.read.selectFrom('files').selectAll().where('id', 'like', 'row-%');
        const stored = await written.orderBy('size').execute();
        assert.deepEqual(
          stored.map((row) => ({ ...row })),
          rows,
          `${count}`,
        );
      }
      // For 1, 3, 8 and 16 rows, on each dialect tested.
      assert.equal(builtForRows % 4, 0, `built for ${builtForRows} shapes`);
    });

    test('a list of any length is asked for whole, and those without a row are left out', async () => {
      const ids = Array.from({ length: 40 }, (_, index) => `listed-${index}`);
      await db.write(async (tx) => {
        await insertRows(
          tx,
          ids.map((id, size) => ({ id, size, owner: null })),
        );
        for (const count of [0, 1, 16, 17, 40]) {
          const found = await growAll(tx, [...ids.slice(0, count), 'nobody'], { by: 100 });
          assert.deepEqual(found.map(({ id }) => id).sort(), ids.slice(0, count).sort());
        }
        const sizes = await tx.selectFrom('files').select('size').where('id', 'in', [ids[0]!, ids[39]!]).execute();
        assert.deepEqual(sizes.map(({ size }) => size).sort(), [139, 400]);
      });
    });

    test('a list of any length behind `in` finds each of its rows once', async () => {
      const ids = Array.from({ length: 1100 }, (_, at) => `listed ${at}`);
      await db.write((tx) =>
        tx
          .insertInto('files')
          .values(ids.map((id) => ({ id, size: 0, owner: null })))
          .execute(),
      );
      for (const count of [0, 1, 15, 16, 17, 64, 65, 1024, 1025, 1100]) {
        const found = await listAll(db.read, [...ids.slice(0, count), 'nobody']);
        assert.deepEqual(found.map(({ id }) => id).sort(), ids.slice(0, count).sort());
      }
    });

    test('a query is not prepared through plugins, which might change it', async () => {
      const findAll = prepared((given: Kysely<Tables>, _param: Param<object>) =>
        given.selectFrom('files').select('id'),
      );
      await assert.rejects(findAll(db.read.withPlugin(new CamelCasePlugin()), {}), /plugins/);
    });
  });
}
