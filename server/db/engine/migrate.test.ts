import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { version } from '#server/lib/version.ts';
import { type TestDatabase, testDialects } from '#test/kit/databases.ts';
import { until } from '#test/kit/eventually.ts';
import { recordedPostgres } from '#test/kit/recorded-postgres.ts';
import { connect } from './connect.ts';
import type { Db } from './db.ts';
import { DatabaseBusy } from './errors.ts';
import { type Migration, migrate, pendingMigrations, retryWhileLocked } from './migrate.ts';

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
const cleanUp: Migration = {
  name: '0003-no-heights',
  needs: '0002-heights',
  up: async (tx) => {
    await sql`alter table trees drop column height`.execute(tx);
  },
};
const baseline: Migration = {
  name: '0001-baseline',
  replaces: '0002-heights',
  up: async (tx, dialect) => {
    await first.up(tx, dialect);
    await second.up(tx, dialect);
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

describe('a migration whose tables are in use', () => {
  const busyFor = (times: number) => {
    const pauses: number[] = [];
    let attempts = 0;
    const run = retryWhileLocked(
      { name: '0001-trees' },
      async () => {
        attempts += 1;
        if (attempts <= times) throw new DatabaseBusy('in use');
        return 'ran';
      },
      async (ms) => pauses.push(ms),
    );
    return { run, pauses, attempts: () => attempts };
  };

  test('is tried a hundred times, with pauses that grow to a second, then refused in a sentence', async () => {
    const { run, pauses, attempts } = busyFor(100);
    await assert.rejects(run, {
      name: 'OperatorProblem',
      message: /^The migration 0001-trees could not lock its tables/,
    });
    assert.equal(attempts(), 100);
    assert.deepEqual(pauses.slice(0, 11), [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1000]);
    assert.deepEqual([pauses.length, pauses.at(-1)], [99, 1000]);
  });

  test('runs with the hundredth attempt too, and another error is not tried again', async () => {
    assert.equal(await busyFor(99).run, 'ran');
    let attempts = 0;
    const broken = async () => {
      attempts += 1;
      throw new TypeError('a fault');
    };
    await assert.rejects(
      retryWhileLocked(first, broken, () => assert.fail()),
      TypeError,
    );
    assert.equal(attempts, 1);
  });
});

test('PostgreSQL waits long for other processes that migrate, and one second for tables in use', async () => {
  const { db, statements } = recordedPostgres<unknown>();
  assert.deepEqual(await migrate(db, [first], () => 7), ['0001-trees']);
  assert.deepEqual(statements.slice(1, 5), [
    'set local statement_timeout = 0',
    "set local lock_timeout = '10min'",
    // Versions that run concurrently use the same number.
    'select pg_advisory_xact_lock(7292245501)',
    'set local lock_timeout = 1000',
  ]);
  assert.match(statements.at(-2)!, /^create table "trees"/);
  assert.match(statements.at(-1)!, /^insert into "migrations" .* values \(0001-trees, 7, null, /);
});

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

    test('after a clean-up, a version that does not know what it needs is refused in one sentence', async () => {
      await migrate(db, [first, second, cleanUp]);
      const tooOld =
        /^The tables of the database belong to version \S+ of the program \(migration 0003-no-heights\), and this version, \S+, is too old to work with them: it lacks 0002-heights\. Install version \S+, or restore a backup made before the upgrade\.$/;
      await assert.rejects(migrate(db, [first]), { name: 'OperatorProblem', message: tooOld });
      await assert.rejects(pendingMigrations(db, [first]), { name: 'OperatorProblem', message: tooOld });
    });

    test('what a newer version has added, or has cleaned up after a version that did without, is no obstacle', async () => {
      await migrate(db, [first, second]);
      assert.deepEqual(await migrate(db, [first]), []);
      assert.deepEqual(await pendingMigrations(db, [first]), []);
      await migrate(db, [first, second, cleanUp]);
      assert.deepEqual(await migrate(db, [first, second]), []);
      assert.deepEqual(await pendingMigrations(db, [first, second]), []);
    });

    test('beside migrations of a newer version those of this one that are missing still run', async () => {
      await migrate(db, [first, { name: '0009-elsewhere', up: async () => {} }]);
      assert.deepEqual(await migrate(db, [first, second]), ['0002-heights']);
    });

    test('a database that ran the migrations which a baseline replaces has the tables of the baseline', async () => {
      await migrate(db, [first, second]);
      assert.deepEqual(await pendingMigrations(db, [baseline]), []);
      assert.deepEqual(await migrate(db, [baseline, { name: '0004-more', up: async () => {} }]), ['0004-more']);
      // The older version still works beside this one.
      assert.deepEqual(await migrate(db, [first, second]), []);
    });

    test('a database that lacks some of the migrations which a baseline replaces is refused in one sentence', async () => {
      await migrate(db, [first]);
      const tooOld =
        /^The tables are of a version that is too old for this one, \S+: their last migration is 0001-trees\. Start the last version that has the migration 0002-heights once, which brings them up to date, or restore a portable backup that it or a later version made\.$/;
      await assert.rejects(migrate(db, [baseline]), { name: 'OperatorProblem', message: tooOld });
      await assert.rejects(pendingMigrations(db, [baseline]), { name: 'OperatorProblem', message: tooOld });
    });

    test('an empty database gets the tables of the baseline', async () => {
      assert.deepEqual(await migrate(db, [baseline]), ['0001-baseline']);
      assert.deepEqual(await migrate(db, [baseline]), []);
      assert.deepEqual(await trees(), [{ id: 1, height: 12 }]);
    });

    test('a table in use is waited for without holding up those who want to read and write it', async () => {
      await migrate(db, [first]);
      const user = await connect<unknown>(database.url);
      const [isHeld, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = user.write(async (tx) => {
        await sql`insert into trees (id) values (7)`.execute(tx);
        isHeld.resolve();
        await mayEnd.promise;
      });
      await isHeld.promise;
      let attempts = 0;
      const counted: Migration = {
        ...second,
        up: async (tx, kind) => {
          attempts += 1;
          await second.up(tx, kind);
        },
      };
      const migrating = migrate(db, [first, counted]);
      // On SQLite no transaction begins while another one writes.
      if (dialect === 'postgres') {
        await until(async () => attempts > 1);
        await sql`select count(*) from trees`.execute(user.read);
      }
      mayEnd.resolve();
      await holding;
      assert.deepEqual(await migrating, ['0002-heights']);
      await user.close();
      assert.deepEqual((await trees()).length, 2);
    });

    test('a list that names one migration twice is refused', async () => {
      await assert.rejects(migrate(db, [first, first]), /0001-trees is listed twice/);
      assert.deepEqual(await pendingMigrations(db, [first]), ['0001-trees']);
    });

    test('one that fails is rolled back, leaves earlier ones in place, and can be corrected', async () => {
      await assert.rejects(migrate(db, [first, second, broken]), /no further/);
      assert.deepEqual(await trees(), [{ id: 1, height: 12 }]);
      assert.deepEqual(await pendingMigrations(db, [first, second, broken]), ['0003-broken']);
      await migrate(db, [first, second, { name: '0003-broken', up: async () => {} }]);
      assert.deepEqual(await trees(), [{ id: 1, height: 12 }]);
    });

    test('each missing one runs once, in order, and is recorded with its instant and version', async () => {
      assert.deepEqual(await pendingMigrations(db, [first, second]), ['0001-trees', '0002-heights']);
      assert.deepEqual(await migrate(db, [first], () => 1000), ['0001-trees']);
      assert.deepEqual(await migrate(db, [first, second], () => 2000), ['0002-heights']);
      assert.deepEqual(await migrate(db, [first, second], () => 3000), []);
      assert.deepEqual(await pendingMigrations(db, [first, second]), []);
      assert.deepEqual(await migrate(db, [first, second, cleanUp], () => 4000), ['0003-no-heights']);
      const { rows } = await sql`select name, applied_at, needs, version from migrations order by name`.execute(
        db.read,
      );
      assert.deepEqual(rows, [
        { name: '0001-trees', applied_at: 1000, needs: null, version },
        { name: '0002-heights', applied_at: 2000, needs: null, version },
        { name: '0003-no-heights', applied_at: 4000, needs: '0002-heights', version },
      ]);
    });

    test('where nothing is missing, nothing is written and no lock is waited for', async () => {
      await migrate(db, [first, second]);
      const readOnly: Db<unknown> = { ...db, write: () => assert.fail('a transaction began') };
      assert.deepEqual(await migrate(readOnly, [first, second]), []);
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
