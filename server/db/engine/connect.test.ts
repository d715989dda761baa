import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { type TestDatabase, testDialects } from '#test/kit/databases.ts';
import { connect } from './connect.ts';
import type { Db } from './db.ts';
import { DatabaseUnavailable, isUniqueViolation } from './errors.ts';

interface Tables {
  counters: { name: string; value: number };
  things: { id: number; label: string | null; body: Uint8Array | null };
}

test('a URL of another kind is refused', async () => {
  await assert.rejects(connect('mysql://localhost/x'), /must begin with sqlite: or postgres:/);
  await assert.rejects(connect('sqlite:'), /names no file/);
});

test('a database that cannot be reached is unavailable, not a fault', async () => {
  await assert.rejects(connect('sqlite:/nowhere/at/all.db'), DatabaseUnavailable);
  await assert.rejects(connect('postgres://127.0.0.1:1/x'), DatabaseUnavailable);
});

for (const { dialect, create } of [
  ...testDialects(),
  { dialect: 'sqlite in memory', create: async () => ({ url: 'sqlite::memory:', drop: async () => {} }) },
]) {
  describe(dialect, () => {
    let database: Pick<TestDatabase, 'url' | 'drop'>;
    let db: Db<Tables>;

    before(async () => {
      database = await create();
      db = await connect<Tables>(database.url);
      await db.write(async (tx) => {
        const bytes = db.dialect === 'sqlite' ? 'blob' : 'bytea';
        await tx.schema.createTable('counters').addColumn('name', 'text').addColumn('value', 'bigint').execute();
        await tx.schema
          .createTable('things')
          .addColumn('id', 'bigint', (column) => column.primaryKey())
          .addColumn('label', 'text', (column) => column.unique())
          .addColumn('body', bytes)
          .execute();
      });
    });
    beforeEach(async () => {
      await db.write(async (tx) => {
        await tx.deleteFrom('counters').execute();
        await tx.deleteFrom('things').execute();
      });
    });
    after(async () => {
      await db.close();
      await database.drop();
    });

    const labels = async (reader: Kysely<Tables> = db.read) =>
      (await reader.selectFrom('things').select('label').orderBy('id').execute()).map(({ label }) => label);

    test('read refuses to write', async () => {
      await assert.rejects(db.read.insertInto('things').values({ id: 1, label: 'a', body: null }).execute());
      assert.deepEqual(await labels(), []);
    });

    test('a throw inside write leaves nothing', async () => {
      const failure = new Error('changed my mind');
      const attempt = db.write(async (tx) => {
        await tx.insertInto('things').values({ id: 1, label: 'a', body: null }).execute();
        throw failure;
      });
      await assert.rejects(attempt, failure);
      assert.deepEqual(await labels(), []);
    });

    test('a failed statement undoes the whole transaction and names the unique violation', async () => {
      const insert = (id: number, label: string) =>
        db.write(async (tx) => {
          await tx
            .insertInto('things')
            .values({ id: id + 100, label: null, body: null })
            .execute();
          await tx.insertInto('things').values({ id, label, body: null }).execute();
        });
      await insert(1, 'a');
      await assert.rejects(insert(2, 'a'), isUniqueViolation);
      await assert.rejects(insert(1, 'b'), isUniqueViolation);
      await assert.rejects(sql`select nonsense`.execute(db.read), (error) => !isUniqueViolation(error));
      assert.deepEqual(await labels(), ['a', null]);
    });

    test('a transaction is of no use after its end', async () => {
      let leaked: Kysely<Tables> | undefined;
      await db.write(async (tx) => {
        leaked = tx;
      });
      const stray = leaked!.insertInto('things').values({ id: 1, label: 'a', body: null });
      await assert.rejects(stray.execute());
      assert.deepEqual(await labels(), []);
    });

    test('write inside write is refused at once', async () => {
      await assert.rejects(
        db.write(() => db.write(async () => {})),
        /pass its tx on/,
      );
      await db.write(async () => {});
    });

    test('a reader never sees rows that are not committed', async () => {
      await db.write(async (tx) => {
        await tx.insertInto('things').values({ id: 1, label: 'a', body: null }).execute();
        assert.deepEqual(await labels(tx), ['a']);
        assert.deepEqual(await labels(), []);
      });
      assert.deepEqual(await labels(), ['a']);
    });

    test('200 writers at once increment one counter to 200', async () => {
      await db.write((tx) => tx.insertInto('counters').values({ name: 'n', value: 0 }).execute());
      await Promise.all(
        Array.from({ length: 200 }, () =>
          db.write(async (tx) => {
            const lock = db.dialect === 'postgres' ? sql`for update` : sql``;
            const { rows } = await sql<{ value: number }>`select value from counters ${lock}`.execute(tx);
            await tx
              .updateTable('counters')
              .set({ value: rows[0]!.value + 1 })
              .execute();
          }),
        ),
      );
      assert.deepEqual(await db.read.selectFrom('counters').selectAll().execute(), [{ name: 'n', value: 200 }]);
    });

    test('values that the drivers would guess about are refused', async () => {
      for (const value of [undefined, true, new Date(0), Number.NaN, Number.POSITIVE_INFINITY, {}, ['a']]) {
        await assert.rejects(sql`select ${sql.val(value)}`.execute(db.read), TypeError);
      }
    });

    test('a number too large to be exact is refused rather than rounded', async () => {
      await db.write((tx) => sql`insert into things (id) values (${2n ** 60n})`.execute(tx));
      await assert.rejects(db.read.selectFrom('things').select('id').execute(), RangeError);
    });

    test('numbers, bytes, text and null come back as they went in', async () => {
      const row = { id: Number.MAX_SAFE_INTEGER, label: 'Grüße 𝄞', body: Buffer.from([0, 1, 255]) };
      await db.write((tx) =>
        tx
          .insertInto('things')
          .values([row, { id: -1, label: null, body: null }])
          .execute(),
      );
      const rows = await db.read.selectFrom('things').selectAll().orderBy('id', 'desc').execute();
      assert.deepEqual(rows, [row, { id: -1, label: null, body: null }]);
      assert.ok(Buffer.isBuffer(rows[0]!.body));
    });

    test('counts and sums are numbers', async () => {
      await db.write((tx) =>
        tx
          .insertInto('counters')
          .values([
            { name: 'a', value: 2 },
            { name: 'b', value: 3 },
          ])
          .execute(),
      );
      const totals = db.read
        .selectFrom('counters')
        .select(({ fn }) => [fn.countAll().as('count'), fn.sum('value').as('sum')]);
      assert.deepEqual(await totals.execute(), [{ count: 2, sum: 5 }]);
    });

    test('changes report the number of rows, and `returning` returns them', async () => {
      const inserted = await db.write((tx) =>
        tx
          .insertInto('things')
          .values([
            { id: 1, label: 'a', body: null },
            { id: 2, label: 'b', body: null },
          ])
          .returning('id')
          .execute(),
      );
      assert.deepEqual(inserted, [{ id: 1 }, { id: 2 }]);
      const [changed] = await db.write((tx) => tx.updateTable('things').set({ body: null }).execute());
      assert.equal(changed!.numUpdatedRows, 2n);
    });

    test('ping and scrub succeed on a healthy database', async () => {
      await db.ping();
      await db.scrub?.();
    });
  });

  test(`${dialect}: after close everything is refused as unavailable, and closing twice is fine`, async () => {
    const database = await create();
    const db = await connect<Tables>(database.url);
    await db.close();
    await db.close();
    await assert.rejects(
      db.write(async () => {}),
      DatabaseUnavailable,
    );
    await assert.rejects(db.ping(), DatabaseUnavailable);
    await assert.rejects(db.read.selectFrom('things').selectAll().execute(), DatabaseUnavailable);
    await database.drop();
  });
}
