import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createCheckpointer } from './checkpoint.ts';
import { DatabaseBusy, DatabaseUnavailable } from './errors.ts';
import { openSqliteConnection } from './sqlite-open.ts';
import { createWriteLock } from './write-lock.ts';

const limits = { framesToCopy: 10, framesMax: 1000, commitsBetweenLooks: 5, msBetweenLooks: 1_000_000 };

describe('checkpointer', () => {
  let folder: string;
  let path: string;
  let writer: DatabaseSync;
  let reader: DatabaseSync;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
    path = join(folder, 'test.db');
    writer = await openSqliteConnection(path, 'writer');
    reader = await openSqliteConnection(path, 'reader');
    writer.exec('CREATE TABLE rows (body BLOB)');
  });
  afterEach(() => {
    writer.close();
    reader.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const never = (error: unknown) => assert.fail(error as Error);
  const commit = (pages: number) => writer.prepare('INSERT INTO rows VALUES (zeroblob(?))').run(pages * 4096);
  /** The frames in the log, and how many of them are copied into the database. */
  const frames = () => {
    const { log, checkpointed } = reader.prepare('PRAGMA wal_checkpoint(NOOP)').get()!;
    return { log: Number(log), checkpointed: Number(checkpointed) };
  };

  test('a file it cannot open is an error of the request, not of the process', async () => {
    const checkpointer = createCheckpointer(
      { path: join(folder, 'no/such.db'), reader, lock: createWriteLock(1000) },
      never,
    );
    await assert.rejects(checkpointer.truncate(), DatabaseUnavailable);
    await checkpointer.close();
  });

  test('an error while copying is reported to the owner', async () => {
    const errors: unknown[] = [];
    const lost = join(folder, 'no/such.db');
    const checkpointer = createCheckpointer(
      { path: lost, reader, lock: createWriteLock(1000) },
      (error) => errors.push(error),
      limits,
    );
    for (let count = 0; count < 5; count++) {
      commit(10);
      checkpointer.noteCommit();
    }
    await checkpointer.close();
    assert.ok(errors[0] instanceof DatabaseUnavailable);
  });

  test('a log with a reader cannot be emptied, which is reported', async () => {
    const checkpointer = createCheckpointer({ path, reader, lock: createWriteLock(1000) }, never);
    commit(1);
    reader.exec('BEGIN; SELECT count(*) FROM rows');
    commit(1);
    await assert.rejects(checkpointer.truncate(), DatabaseBusy);
    reader.exec('COMMIT');
    await checkpointer.truncate();
    assert.equal(statSync(`${path}-wal`).size, 0);
    await checkpointer.close();
  });

  test('emptying the log under the lock does not wait for a copy that wants the lock too', async () => {
    const lock = createWriteLock(2000);
    const checkpointer = createCheckpointer({ path, reader, lock }, never, { ...limits, framesMax: 50 });
    const release = await lock.acquire();
    for (let count = 0; count < 5; count++) {
      commit(20);
      checkpointer.noteCommit();
    }
    await checkpointer.truncate();
    assert.equal(statSync(`${path}-wal`).size, 0);
    release();
    await checkpointer.close();
  });

  test('a short log is left alone', async () => {
    const checkpointer = createCheckpointer({ path, reader, lock: createWriteLock(1000) }, never, limits);
    for (let count = 0; count < 5; count++) checkpointer.noteCommit();
    await checkpointer.close();
    assert.equal(frames().checkpointed, 0);
  });

  test('a log that has grown is copied into the database', async () => {
    const checkpointer = createCheckpointer({ path, reader, lock: createWriteLock(1000) }, never, limits);
    for (let count = 0; count < 5; count++) {
      commit(10);
      checkpointer.noteCommit();
    }
    await checkpointer.close();
    const { log, checkpointed } = frames();
    assert.ok(log > 50);
    assert.equal(checkpointed, log);
  });

  test('a log that is too long waits for the writers and starts over', async () => {
    const lock = createWriteLock(5000);
    const checkpointer = createCheckpointer({ path, reader, lock }, never, { ...limits, framesMax: 50 });
    const release = await lock.acquire();
    for (let count = 0; count < 5; count++) {
      commit(20);
      checkpointer.noteCommit();
    }
    const closed = checkpointer.close();
    release();
    await closed;
    commit(1);
    assert.ok(frames().log < 10);
  });
});
