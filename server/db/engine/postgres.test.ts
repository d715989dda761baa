import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { openCuttableProxy } from '#test/kit/cuttable-proxy.ts';
import { type TestDatabase, testDialects } from '#test/kit/databases.ts';
import { until } from '#test/kit/eventually.ts';
import { connect } from './connect.ts';
import type { Db } from './db.ts';
import { DatabaseBusy, DatabaseUnavailable } from './errors.ts';
import { translatePostgresError } from './postgres-errors.ts';
import { type Param, prepared } from './prepared.ts';

interface Tables {
  pair: { id: number; value: number };
}

test('errors of the connection are unavailable, errors of a statement stay what they are', () => {
  const withCode = (code: string) => Object.assign(new Error('x'), { code });
  for (const code of ['08006', '53300', '57P01', '57P03', '58030']) {
    assert.ok(translatePostgresError(withCode(code)) instanceof DatabaseUnavailable, code);
  }
  for (const code of ['55P03', '57014'])
    assert.ok(translatePostgresError(withCode(code)) instanceof DatabaseBusy, code);
  for (const code of ['23505', '42601', '40001']) {
    const error = withCode(code);
    assert.equal(translatePostgresError(error), error);
  }
  assert.ok(translatePostgresError(new Error('Connection terminated unexpectedly')) instanceof DatabaseUnavailable);
});

for (const { dialect, create } of testDialects()) {
  if (dialect !== 'postgres') continue;
  describe('on a real server', () => {
    let database: TestDatabase;
    let db: Db<Tables>;
    before(async () => {
      database = await create();
      db = await connect<Tables>(database.url);
      await db.write(async (tx) => {
        await tx.schema
          .createTable('pair')
          .addColumn('id', 'bigint', (column) => column.primaryKey())
          .addColumn('value', 'bigint')
          .execute();
        await tx
          .insertInto('pair')
          .values([
            { id: 1, value: 0 },
            { id: 2, value: 0 },
          ])
          .execute();
      });
    });
    after(async () => {
      await db.close();
      await database.drop();
    });

    test('a server that falls silent is given up, also in the middle of a transaction, and the next connection works', async () => {
      const { hostname, port } = new URL(database.url);
      const wire = await openCuttableProxy({ host: hostname, port: Number(port) });
      const url = Object.assign(new URL(database.url), { port: String(wire.port) }).href;
      const far = await connect<Tables>(url, { silenceMs: 300 });
      try {
        const attempt = far.write(async (tx) => {
          await tx.updateTable('pair').set({ value: 99 }).execute();
          wire.silence();
          await tx.updateTable('pair').set({ value: 100 }).execute();
        });
        await assert.rejects(attempt, DatabaseUnavailable);
        await assert.rejects(far.ping(), DatabaseUnavailable);
        wire.mend();
        await until(() => far.ping().then(() => true));
        const rows = await far.read.selectFrom('pair').select('value').execute();
        assert.ok(
          rows.every((row) => row.value < 99),
          'nothing of it was kept',
        );
      } finally {
        await far.close();
        await wire.close();
      }
    });

    test('a server that greets no connection is detected during a long statement, and used again when it recovers', async () => {
      const { hostname, port } = new URL(database.url);
      const wire = await openCuttableProxy({ host: hostname, port: Number(port) });
      const url = Object.assign(new URL(database.url), { port: String(wire.port) }).href;
      const far = await connect<Tables>(url, { silenceMs: 0 });
      try {
        await far.ping();
        wire.silence();
        await assert.rejects(far.ping(), /stopped replying/);
        wire.mend();
        await until(() => far.ping().then(() => true));
      } finally {
        await far.close();
        await wire.close();
      }
    });

    test('a connection that the server ends is unavailable, and the next one works', async () => {
      const attempt = db.write((tx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx));
      await assert.rejects(attempt, DatabaseUnavailable);
      await db.ping();
      await db.write((tx) => tx.updateTable('pair').set({ value: 0 }).execute());
    });

    test('a collision that never ends is given up after three retries', async () => {
      let attempts = 0;
      const attempt = db.write(async (tx) => {
        attempts++;
        await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx);
      });
      await assert.rejects(attempt, DatabaseBusy);
      assert.equal(attempts, 4);
    });

    test('two transactions in a deadlock both succeed in the end', async () => {
      const bothInside = Promise.withResolvers<void>();
      let inside = 0;
      const add = (tx: Kysely<Tables>, id: number) =>
        tx.updateTable('pair').set({ value: sql<number>`value + 1` }).where('id', '=', id).execute();
      const addToBoth = (ids: [number, number]) =>
        db.write(async (tx) => {
          await sql`set local deadlock_timeout = '20ms'`.execute(tx);
          await add(tx, ids[0]);
          if (++inside === 2) bothInside.resolve();
          await bothInside.promise;
          await add(tx, ids[1]);
        });
      await Promise.all([addToBoth([1, 2]), addToBoth([2, 1])]);
      assert.ok(inside >= 3, 'at least one of the two was retried');
      const rows = await db.read.selectFrom('pair').select('value').execute();
      assert.deepEqual(rows, [{ value: 2 }, { value: 2 }]);
    });

    test('a prepared query has a name in the server', async () => {
      const find = prepared((reader: Kysely<Tables>, param: Param<{ id: number }>) =>
        reader.selectFrom('pair').select('id').where('id', '=', param('id')),
      );
      await db.write(async (tx) => {
        await find(tx, { id: 1 });
        const { rows } = await sql`select statement from pg_prepared_statements`.execute(tx);
        assert.deepEqual(rows, [{ statement: 'select "id" from "pair" where "id" = $1' }]);
      });
    });

    test('a table that gets a column under way troubles no prepared query, in a transaction or outside', async () => {
      const find = prepared((reader: Kysely<Tables>, param: Param<{ id: number }>) =>
        reader.selectFrom('pair').selectAll().where('id', '=', param('id')),
      );
      const other = await connect<Tables>(database.url);
      // One connection each, so that it has the old plan.
      const [reader, writer] = [
        await connect<Tables>(database.url, { connections: 1 }),
        await connect<Tables>(database.url, { connections: 1 }),
      ];
      let runs = 0;
      const change = () =>
        writer.write(async (tx) => {
          runs += 1;
          await tx.updateTable('pair').set({ value: 7 }).where('id', '=', 1).execute();
          return find(tx, { id: 1 });
        });
      try {
        await find(reader.read, { id: 1 });
        await change();
        await other.write((tx) => sql`alter table pair add column added bigint not null default 5`.execute(tx));
        for (let again = 0; again < 2; again++) {
          assert.deepEqual(await find(reader.read, { id: 1 }), [{ id: 1, value: 7, added: 5 }]);
          assert.deepEqual(await change(), [{ id: 1, value: 7, added: 5 }]);
        }
        assert.equal(runs, 4, 'the transaction was repeated once');
      } finally {
        await Promise.all([reader, writer, other].map((each) => each.close()));
        await db.write((tx) => sql`alter table pair drop column added`.execute(tx));
      }
    });

    test('more requests at once than the server allows connections wait for one another', async () => {
      const role = `few_${database.url.slice(-12)}`;
      await db.write((tx) => sql.raw(`create role ${role} login connection limit 2`).execute(tx));
      await db.write((tx) => sql.raw(`grant all on pair to ${role}`).execute(tx));
      const few = await connect<Tables>(Object.assign(new URL(database.url), { username: role }).href);
      try {
        assert.equal(await few.connectionsPermitted!(), 2);
        await db.write((tx) => tx.insertInto('pair').values({ id: 3, value: 0 }).execute());
        const add = () =>
          few.write((tx) =>
            tx.updateTable('pair').set({ value: sql<number>`value + 1` }).where('id', '=', 3).execute(),
          );
        const read = () => few.read.selectFrom('pair').select('id').execute();
        await Promise.all(Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? add() : read())));
        const [row] = await db.read.selectFrom('pair').select('value').where('id', '=', 3).execute();
        assert.equal(row?.value, 30);
      } finally {
        await few.close();
        await db.write((tx) => sql.raw(`drop owned by ${role}; drop role ${role}`).execute(tx));
      }
    });

    test('sessions are durable, bounded in time and in UTC', async () => {
      const setting = async (name: string) =>
        (await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db.read)).rows[0]!.value;
      assert.equal(await setting('synchronous_commit'), 'on');
      assert.equal(await setting('statement_timeout'), '30s');
      assert.equal(await setting('idle_in_transaction_session_timeout'), '30s');
      assert.equal(await setting('TimeZone'), 'UTC');
    });
  });
}
