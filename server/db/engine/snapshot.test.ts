// A snapshot has every table of a database at one moment, referenced tables first.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { DatabaseUnavailable } from './errors.ts';
import { withSnapshot } from './snapshot.ts';

describe('a snapshot', () => {
  let folder: string;
  let path: string;
  let database: DatabaseSync;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
    path = join(folder, 'test.db');
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode=WAL; PRAGMA foreign_keys=OFF');
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('has parents before children, and a table may refer to itself', async () => {
    database.exec(`
      CREATE TABLE a_child (id INTEGER, parent INTEGER REFERENCES z_parent (id));
      CREATE TABLE z_parent (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES z_parent (id));
      CREATE TABLE "groups" ("order" INTEGER, child INTEGER REFERENCES a_child (id))`);
    const tables = await withSnapshot(`sqlite:${path}`, async (snapshot) => snapshot.tables);
    assert.deepEqual(tables, [
      { name: 'z_parent', columns: ['id', 'boss'] },
      { name: 'a_child', columns: ['id', 'parent'] },
      { name: 'groups', columns: ['order', 'child'] },
    ]);
  });

  test('is refused where tables refer to each other in a circle', async () => {
    database.exec('CREATE TABLE a (id INTEGER REFERENCES b (id)); CREATE TABLE b (id INTEGER REFERENCES a (id))');
    await assert.rejects(
      withSnapshot(`sqlite:${path}`, async () => {}),
      /in a circle/,
    );
  });

  test('has every row there was when it began, also in a full batch, and none of those that came since', async () => {
    database.exec('CREATE TABLE rows (id INTEGER)');
    for (const count of [0, 1, 500, 501]) {
      database.exec(`DELETE FROM rows; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${count})
        INSERT INTO rows SELECT i FROM n WHERE ${count} > 0`);
      const seen = await withSnapshot(`sqlite:${path}`, async ({ tables, rows }) => {
        database.exec('INSERT INTO rows VALUES (-1)');
        const found: unknown[] = [];
        for await (const batch of rows(tables[0]!)) found.push(...batch.flat());
        return found;
      });
      assert.deepEqual(
        seen.map(Number),
        Array.from({ length: count }, (_, index) => index + 1),
      );
    }
  });

  test('of an unreachable server is unavailable', async () => {
    await assert.rejects(
      withSnapshot('postgres://127.0.0.1:1/x', async () => {}),
      DatabaseUnavailable,
    );
  });
});
