import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDialects } from '#test/kit/databases.ts';
import { findTablesFault, migrateDatabase, openDatabase } from '../open.ts';
import type { LockedDb } from '../schema/schema.ts';
import { migrations } from './all.ts';

const later = migrations.slice(1).map(({ name }) => name);
const earlier = ['0001-foundation', '0002-messages', '0068-attempt-limits', '0069-console-views'];

for (const { dialect, create } of testDialects())
  describe(`a ${dialect} database from before the baseline`, () => {
    let database: TestDatabase;
    let db: LockedDb;
    before(async () => {
      database = await create();
      db = await openDatabase(database.url);
      assert.deepEqual(await migrateDatabase(db), ['0001-baseline', ...later]);
    });
    after(async () => {
      await db.close();
      await database.drop();
    });
    const setMigrations = (names: string[]) =>
      db.write(async (tx) => {
        await sql`delete from migrations`.execute(tx);
        for (const name of names) await sql`insert into migrations (name, applied_at) values (${name}, 1)`.execute(tx);
      });

    test('is used as it is when it has run all earlier migrations', async () => {
      await setMigrations([...earlier, ...later]);
      assert.equal(await findTablesFault(db), null);
      assert.deepEqual(await migrateDatabase(db), []);
    });

    test('is refused when it has not, with a sentence that says what to do', async () => {
      await setMigrations(earlier.slice(0, -1));
      const sentence = await findTablesFault(db);
      assert.match(
        sentence!,
        /last migration is 0068-attempt-limits\. Start the last version that has the migration 0069-/,
      );
      await assert.rejects(migrateDatabase(db), { name: 'OperatorProblem', message: sentence! });
    });
  });
