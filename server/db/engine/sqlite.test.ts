import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fdatasync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Db } from './db.ts';
import { DatabaseBusy, DatabaseUnavailable } from './errors.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';

interface Tables {
  rows: { id: number; writer: string };
}

const folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
let files = 0;
after(() => rmSync(folder, { recursive: true, force: true }));

const freshPath = () => join(folder, `${++files}.db`);

async function openWithRows(path = freshPath(), options: SqliteOptions = {}): Promise<Db<Tables>> {
  const db = await openSqlite<Tables>(path, options);
  await db.write((tx) =>
    tx.schema.createTable('rows').addColumn('id', 'integer').addColumn('writer', 'text').execute(),
  );
  return db;
}

const insert = (db: Db<Tables>, id: number) =>
  db.write((tx) => tx.insertInto('rows').values({ id, writer: 'test' }).execute());
const count = async (db: Db<Tables>) => (await db.read.selectFrom('rows').select('id').execute()).length;

/** A process that prints 0 when it begins, writes `rows` one by one, and prints each id once it is durable. */
function startWriter(path: string, name: string, rows: number): ChildProcess {
  const program = `
    import { openSqlite } from ${JSON.stringify(import.meta.resolve('./sqlite.ts'))};
    const db = await openSqlite(${JSON.stringify(path)});
    process.stdout.write('0\\n');
    for (let id = 1; id <= ${rows}; id++) {
      await db.write((tx) => tx.insertInto('rows').values({ id, writer: '${name}' }).execute());
      process.stdout.write(id + '\\n');
    }
    await db.close();`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
}

const exitCode = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve));

test('a full disk is reported with the name of the file', async () => {
  const path = freshPath();
  const db = await openWithRows(path);
  try {
    const filled = db.write(async (tx) => {
      await sql`PRAGMA max_page_count=1`.execute(tx);
      await tx
        .insertInto('rows')
        .values({ id: 1, writer: 'x'.repeat(100_000) })
        .execute();
    });
    await assert.rejects(filled, (error) => {
      assert.ok(error instanceof DatabaseUnavailable);
      assert.equal((error.cause as { path?: string }).path, path);
      return true;
    });
  } finally {
    await db.close();
  }
});

describe('durability', () => {
  test('after a failed fsync every write is refused, and reading still works', async () => {
    let isBroken = false;
    let calls = 0;
    const db = await openWithRows(freshPath(), {
      async syncDescriptor() {
        calls++;
        if (isBroken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      },
    });
    isBroken = true;
    await assert.rejects(insert(db, 1), DatabaseUnavailable);
    isBroken = false;
    const callsBefore = calls;
    await assert.rejects(insert(db, 2), DatabaseUnavailable);
    await assert.rejects(db.ping(), DatabaseUnavailable);
    assert.equal(calls, callsBefore, 'a failed fsync is not tried again');
    assert.ok(!(await db.read.selectFrom('rows').select('id').execute()).some(({ id }) => id === 2));
    await db.close();
  });

  test('write resolves only after a flush that began after its commit', async () => {
    const calls: PromiseWithResolvers<void>[] = [];
    let onCall = Promise.withResolvers<void>();
    let isHeld = false;
    const db = await openWithRows(freshPath(), {
      async syncDescriptor() {
        if (!isHeld) return;
        const call = Promise.withResolvers<void>();
        calls.push(call);
        onCall.resolve();
        onCall = Promise.withResolvers<void>();
        await call.promise;
      },
    });
    isHeld = true;
    const done: number[] = [];
    let called = onCall.promise;
    const first = insert(db, 1).then(() => done.push(1));
    await called;
    assert.equal(await count(db), 1, 'the flush begins after the commit');

    // The second commits while the first is being flushed.
    const second = insert(db, 2).then(() => done.push(2));
    while ((await count(db)) < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(calls.length, 1);
    called = onCall.promise;
    calls[0]!.resolve();
    await first;
    await called;
    assert.deepEqual(done, [1], 'the flush that was running is not enough for the second');
    calls[1]!.resolve();
    await second;
    assert.deepEqual(done, [1, 2]);
    isHeld = false;
    await db.close();
  });

  test('commits at the same time share flushes', async () => {
    let calls = 0;
    const db = await openWithRows(freshPath(), {
      syncDescriptor(descriptor) {
        calls++;
        return promisify(fdatasync)(descriptor);
      },
    });
    calls = 0;
    await Promise.all(Array.from({ length: 100 }, (_, id) => insert(db, id)));
    assert.equal(await count(db), 100);
    assert.ok(calls > 0 && calls < 100, `100 commits took ${calls} flushes`);
    await db.close();
  });

  test('a process killed without warning loses no row it acknowledged', async () => {
    const path = freshPath();
    await (await openWithRows(path)).close();
    const child = startWriter(path, 'doomed', 1_000_000);
    const ended = exitCode(child);
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout! })) {
      acknowledged = Number(line);
      if (acknowledged === 50) child.kill('SIGKILL');
    }
    await ended;
    const db = await openSqlite<Tables>(path);
    const ids = new Set((await db.read.selectFrom('rows').select('id').execute()).map(({ id }) => id));
    for (let id = 1; id <= acknowledged; id++) assert.ok(ids.has(id), `row ${id} of ${acknowledged} is lost`);
    assert.ok(acknowledged >= 50);
    await db.close();
  });
});

test('a transaction that is left open is rolled back and blocks no other', async () => {
  const db = await openWithRows(freshPath(), { idleMs: 20 });
  const abandoned = db.write(async (tx) => {
    await tx.insertInto('rows').values({ id: 1, writer: 'test' }).execute();
    await new Promise(() => {});
  });
  const following = insert(db, 2);
  await assert.rejects(abandoned, /left open and idle/);
  await following;
  assert.deepEqual(await db.read.selectFrom('rows').select('id').execute(), [{ id: 2 }]);
  await db.close();
});

test('a query after the end of its transaction, a stream, and a transaction of the reader are faults of ours', async () => {
  const db = await openWithRows();
  let late: Parameters<Parameters<typeof db.write>[0]>[0] | null = null;
  await db.write(async (tx) => {
    late = tx;
    await tx.insertInto('rows').values({ id: 1, writer: 'test' }).execute();
  });
  await assert.rejects(late!.insertInto('rows').values({ id: 2, writer: 'late' }).execute());
  assert.equal(await count(db), 1);
  const stream = db.read.selectFrom('rows').selectAll().stream();
  await assert.rejects(async () => {
    for await (const row of stream) assert.fail(String(row));
  }, /not supported/);
  await assert.rejects(
    db.read.transaction().execute(async () => {}),
    /begin with write/,
  );
  await db.close();
});

describe('several processes on one file', () => {
  test('a lock that is never given back ends in DatabaseBusy, and nothing is written', async () => {
    const path = freshPath();
    const db = await openWithRows(path, { busyTimeoutMs: 50 });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const attempt = insert(db, 1);
    // Reading does not wait for a writer.
    assert.equal(await count(db), 0);
    await assert.rejects(attempt, DatabaseBusy);
    other.exec('ROLLBACK');
    other.close();
    await insert(db, 2);
    assert.deepEqual(await db.read.selectFrom('rows').select('id').execute(), [{ id: 2 }]);
    await db.close();
  });

  test('two writers both make progress and nothing is lost', async () => {
    const path = freshPath();
    await (await openWithRows(path)).close();
    const children = ['left', 'right'].map((name) => startWriter(path, name, 300));
    for (const child of children) child.stdout!.resume();
    assert.deepEqual(await Promise.all(children.map(exitCode)), [0, 0]);
    const db = await openSqlite<Tables>(path);
    for (const writer of ['left', 'right']) {
      const rows = await db.read.selectFrom('rows').select('id').where('writer', '=', writer).orderBy('id').execute();
      assert.deepEqual(
        rows.map(({ id }) => id),
        Array.from({ length: 300 }, (_, index) => index + 1),
      );
    }
    await db.close();
  });

  test('a process that writes without a gap lets others in', async () => {
    const path = freshPath();
    const db = await openWithRows(path);
    const child = startWriter(path, 'guest', 20);
    const ended = exitCode(child);
    await Promise.race([once(child.stdout!, 'data'), ended]);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    // Ten are queued until the other process has written all of its rows.
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        while (!isOver) await insert(db, 0);
      }),
    );
    assert.equal(await ended, 0);
    const guests = await db.read.selectFrom('rows').select('id').where('writer', '=', 'guest').execute();
    assert.equal(guests.length, 20);
    await db.close();
  });
});

describe('the file', () => {
  test('belongs to its owner alone, and so does the WAL', async () => {
    const path = freshPath();
    const db = await openWithRows(path);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(`${path}-wal`).mode & 0o777, 0o600);
    await db.close();
  });

  test('may be reached through a link', async () => {
    const path = freshPath();
    await (await openWithRows(path)).close();
    symlinkSync(path, `${path}.link`);
    const db = await openSqlite<Tables>(`${path}.link`);
    await insert(db, 1);
    await db.close();
  });

  test('that is no database is unavailable', async () => {
    await assert.rejects(openSqlite(import.meta.filename), DatabaseUnavailable);
  });

  test('has no remains of changed and moved rows after it was rewritten, unless it is too large', async () => {
    const path = freshPath();
    const db = await openWithRows(path);
    const secretOf = (id: number) => `the-secret-of-number-${id}-`;
    await db.write(async (tx) => {
      for (let id = 1; id <= 500; id++)
        await tx
          .insertInto('rows')
          .values({ id, writer: secretOf(id).repeat(3) })
          .execute();
    });
    await db.write((tx) => tx.updateTable('rows').set({ writer: 'gone' }).execute());
    assert.equal(await db.rewrite!(10_000), false);
    assert.equal(await db.rewrite!(100_000_000), true);
    assert.equal(statSync(`${path}-wal`).size, 0);
    assert.ok(!readFileSync(path).includes('the-secret'));
    assert.equal(await count(db), 500);
    await db.close();
  });

  test('has no remains of a deleted row after a scrub', async () => {
    const secret = 'a-wrapped-key-that-must-be-gone';
    const path = freshPath();
    const db = await openWithRows(path);
    await db.write((tx) => tx.insertInto('rows').values({ id: 1, writer: secret }).execute());
    assert.ok(readFileSync(`${path}-wal`).includes(secret));
    await db.scrub!();
    assert.ok(readFileSync(path).includes(secret));
    await db.write((tx) => tx.deleteFrom('rows').execute());
    await db.scrub!();
    assert.equal(statSync(`${path}-wal`).size, 0);
    assert.ok(!readFileSync(path).includes(secret));
    await insert(db, 2);
    assert.equal(await count(db), 1);
    await db.close();
  });

  test('enforces foreign keys', async () => {
    const db = await openSqlite<unknown>(':memory:');
    await db.write(async (tx) => {
      await tx.schema
        .createTable('parent')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .execute();
      await tx.schema
        .createTable('child')
        .addColumn('parent', 'integer', (column) => column.references('parent.id'))
        .execute();
    });
    const orphan = db.write((tx) =>
      tx
        .insertInto('child' as never)
        .values({ parent: 1 } as never)
        .execute(),
    );
    await assert.rejects(orphan, /FOREIGN KEY/);
    await db.close();
  });

  test('whose schema another process changed is read with its new columns', async () => {
    const path = freshPath();
    const db = await openWithRows(path);
    await insert(db, 1);
    const all = () => db.read.selectFrom('rows').selectAll().execute();
    assert.deepEqual(await all(), [{ id: 1, writer: 'test' }]);
    const other = new DatabaseSync(path);
    other.exec('ALTER TABLE rows ADD COLUMN extra TEXT');
    other.close();
    assert.deepEqual(await all(), [{ id: 1, writer: 'test', extra: null }]);
    await db.close();
  });
});
