// The clock that all processes of an installation share.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../db/engine/connect.ts';
import { raiseMeta } from '../db/installation.ts';
import type { LockedDb, Tables } from '../db/schema.ts';
import { manualClock } from '../lib/clock.ts';
import { openClock, saveClock } from './clock.ts';

async function emptyInstallation(): Promise<LockedDb> {
  const db: LockedDb = await connect<Tables>('sqlite::memory:');
  await db.write((tx) =>
    tx.schema
      .createTable('meta')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text')
      .execute(),
  );
  return db;
}

test('a mark is taken over once the transaction that read it is durable, not before', async () => {
  const db = await emptyInstallation();
  try {
    const clock = await openClock(db, manualClock(1_000));
    await db.write((tx) => raiseMeta(tx, 'clock_high_water', 9_000));
    const failure = new Error('the disk is gone');
    const broken: LockedDb = {
      ...db,
      write: (work) =>
        db.write(async (tx) => {
          await work(tx);
          throw failure;
        }),
    };
    await assert.rejects(saveClock(broken, clock), failure);
    assert.equal(clock.now(), 1_000);
    await saveClock(db, clock);
    assert.equal(clock.now(), 9_000);
  } finally {
    await db.close();
  }
});
