import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { OperatorProblem } from '#server/lib/operator-problem.ts';
import { type TestDatabase, testDialects } from '#test/kit/databases.ts';
import { recordedPostgres } from '#test/kit/recorded-postgres.ts';
import { withSnapshot } from '../engine/snapshot.ts';
import { migrations } from '../migrations/all.ts';
import { openDatabase } from '../open.ts';
import { createCounting, decodeLine, encodeLine } from '../portable.ts';
import type { LockedDb, Tables } from '../schema/schema.ts';
import { createSchema, fillDatabase, findNonEmpty, NewerSchema, type TableContents } from './whole-database.ts';

const every = migrations.map(({ name }) => name);

test('a line preserves texts, numbers, nulls and bytes', () => {
  const values = ['{"b":"AA=="}', '', 'ö\n', 0, -1, 1.5, 9_007_199_254_740_991, null, Buffer.from([0, 255])];
  assert.deepEqual(decodeLine(encodeLine(values)), values);
});

test('the sum of lines does not depend on their order, and differs for other lines', () => {
  const sumOf = (...lines: string[]) => {
    const counting = createCounting();
    for (const line of lines) counting.add(line);
    return counting.result();
  };
  assert.deepEqual(sumOf('a', 'b', 'b'), sumOf('b', 'a', 'b'));
  assert.notEqual(sumOf('a', 'a').sum, sumOf('b', 'b').sum);
  assert.notEqual(sumOf('a', 'a').sum, sumOf('a').sum);
});

test('PostgreSQL takes over the numbers of rows and gives out the next ones after them, with time for everything', async () => {
  const { db, statements } = recordedPostgres<Tables>((statement) =>
    statement.includes('is_identity') ? [{ table: 'events', column: 'seq' }] : [],
  );
  // Four columns: 2000 rows reach the limit of parameters of one statement.
  const rows = Array.from({ length: 2001 }, (_, n) => [n, 'b', 'c', 'd']);
  const contents: TableContents[] = [
    {
      name: 'events',
      columns: ['seq', 'b', 'c', 'd'],
      async *rows() {
        yield* rows;
      },
    },
  ];
  await fillDatabase(db, contents, async (tx) => void (await sql`select 'the end'`.execute(tx)));
  assert.equal(statements.length, 6);
  assert.equal(statements[0], 'set local idle_in_transaction_session_timeout = 0');
  assert.match(
    statements[1]!,
    /^insert into "events" \("seq", "b", "c", "d"\) overriding system value values \(0, b, c, d\), .*\(1999, b, c, d\)$/,
  );
  assert.match(statements[2]!, /overriding system value values \(2000, b, c, d\)$/);
  assert.equal(
    statements[4],
    'select setval(pg_get_serial_sequence(events, seq), max("seq")) from "events" having max("seq") is not null',
  );
  assert.equal(statements[5], "select 'the end'");
});

const dialects = testDialects();
for (const from of dialects) {
  for (const to of dialects) {
    // In both directions; a copy within one kind of database is not tested.
    if (dialects.length > 1 && from === to) continue;
    describe(`a whole database, from ${from.dialect} to ${to.dialect}`, () => {
      const databases: TestDatabase[] = [];
      const dbs: LockedDb[] = [];
      let source: LockedDb;
      let target: LockedDb;
      before(async () => {
        for (const { create } of [from, to]) databases.push(await create());
        for (const { url } of databases) dbs.push(await openDatabase(url));
        [source, target] = dbs as [LockedDb, LockedDb];
        await createSchema(source, every);
        await source.write(async (tx) => {
          await sql`insert into meta (key, value) values ('a', 'ö''"\n'), ('b', '')`.execute(tx);
          await sql`insert into groups (id, name, is_local, role, policy, position, domains, version, is_shipped, created_at, updated_at)
            values ('g', 'G', 1, 'user', '{}', 1, '[]', 1, 1, 5, 9007199254740991)`.execute(tx);
          await sql`insert into key_encryption_keys (id, wrapped, created_at) values (1, ${Buffer.from([0, 1, 255])}, 7)`.execute(
            tx,
          );
          const many = Array.from({ length: 1200 }, (_, n) => sql`(${`n${n}`}, ${'x'.repeat(n % 50)})`);
          await sql`insert into meta (key, value) values ${sql.join(many)}`.execute(tx);
        });
      });
      after(async () => {
        for (const db of dbs) await db.close();
        for (const database of databases) await database.drop();
      });

      async function tallies(url: string) {
        return withSnapshot(url, async (snapshot) => {
          const found: Record<string, { rows: number; sum: string }> = {};
          for (const table of snapshot.tables) {
            if (table.name === 'migrations') continue;
            const counting = createCounting();
            for await (const batch of snapshot.rows(table)) for (const row of batch) counting.add(encodeLine(row));
            found[table.name] = counting.result();
          }
          return found;
        });
      }

      test('a copy has the same rows, and what fails leaves nothing', async () => {
        const [{ url: sourceUrl }, { url: targetUrl }] = databases as [TestDatabase, TestDatabase];
        await createSchema(target, every);
        assert.equal(await findNonEmpty(targetUrl), null);
        const copy = (finish: () => Promise<void>) =>
          withSnapshot(sourceUrl, async (snapshot) => {
            const contents: TableContents[] = snapshot.tables
              .filter(({ name }) => name !== 'migrations')
              .map((table) => ({
                ...table,
                async *rows() {
                  for await (const batch of snapshot.rows(table)) yield* batch;
                },
              }));
            await fillDatabase(target, contents, finish);
          });
        await assert.rejects(
          copy(async () => {
            throw new Error('no further');
          }),
          /no further/,
        );
        assert.equal(await findNonEmpty(targetUrl), null);
        await copy(async () => {});
        assert.notEqual(await findNonEmpty(targetUrl), null);
        assert.deepEqual(await tallies(targetUrl), await tallies(sourceUrl));
      });

      test('rows that come while it is read are not seen', async () => {
        const { url } = databases[0]!;
        await withSnapshot(url, async (snapshot) => {
          await source.write((tx) => sql`insert into meta (key, value) values ('late', '')`.execute(tx));
          const meta = snapshot.tables.find(({ name }) => name === 'meta')!;
          const keys: unknown[] = [];
          for await (const batch of snapshot.rows(meta)) keys.push(...batch.map(([key]) => key));
          assert.equal(keys.length, 1202);
          assert.ok(!keys.includes('late'));
        });
      });

      test('tables of a version that is not known yet are refused', async () => {
        await assert.rejects(createSchema(target, [...every, '9999-later']), NewerSchema);
      });

      test('a copy of a database that ran the migrations before the baseline gets the tables of the baseline', async () => {
        await createSchema(target, ['0001-foundation', '0068-attempt-limits', '0069-console-views']);
        await assert.rejects(createSchema(target, ['0001-foundation', '0068-attempt-limits']), OperatorProblem);
      });
    });
  }
}
