import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../db/engine/connect.ts';
import type { LockedDb, Tables } from '../db/schema/schema.ts';
import { raiseMeta } from '../db/system/installation.ts';
import { manualClock } from '../lib/clock.ts';
import { assertCorrectClock, describeClock, mendClock, openClock, saveClock } from './clock.ts';

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

test('a mark is adopted only after the transaction that read it is durable', async () => {
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

test('a wrong clock is reported in the largest unit that fits twice', async () => {
  const db = await emptyInstallation();
  const base = { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0 };
  const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
  try {
    const faultOf = async (aheadMs: number) => {
      const { faults } = await describeClock(db, base, async () => base.now() - aheadMs);
      return faults.map((fault) => /\d+ \w+ (?:ahead of|behind)/.exec(fault)?.[0]).join();
    };
    for (const [aheadMs, words] of [
      [0, ''],
      [minute, ''],
      [-minute, ''],
      [minute + 1, '60 seconds ahead of'],
      [-minute - second, '61 seconds behind'],
      [2 * minute - second, '119 seconds ahead of'],
      [2 * minute, '2 minutes ahead of'],
      [2 * hour - minute, '119 minutes ahead of'],
      [2 * hour, '2 hours ahead of'],
      [-2 * day + hour, '47 hours behind'],
      [-2 * day, '2 days behind'],
    ] as const)
      assert.equal(await faultOf(aheadMs), words, `${aheadMs}`);
    await db.write((tx) => raiseMeta(tx, 'clock_high_water', base.now() + minute));
    const report = await describeClock(db, base, null);
    assert.deepEqual(report, {
      machine: '2026-01-01T00:00:00Z',
      database: null,
      mark: '2026-01-01T00:01:00Z',
      faults: [],
    });
    await db.write((tx) => raiseMeta(tx, 'clock_high_water', base.now() + minute + 1));
    assert.match((await describeClock(db, base, null)).faults.join(), /60 seconds later than it is/);
  } finally {
    await db.close();
  }
});

test('a comparison that took half a minute is ignored; a faster one is corrected by half its duration', async () => {
  const compare = (tookMs: number, aheadMs: number) => {
    let monotonic = 0;
    const base = { now: () => 1_000_000, monotonic: () => monotonic };
    return assertCorrectClock(base, async () => {
      monotonic += tookMs;
      return base.now() - aheadMs;
    });
  };
  await compare(30_000, 1_000_000);
  await assert.rejects(compare(29_999, 1_000_000), /ahead of the clock of the database/);
  await compare(20_000, 70_000);
  await assert.rejects(compare(20_000, 70_001), /60 seconds ahead of/);
});

test('a machine with a wrong clock cannot mend the mark', async () => {
  const db = await emptyInstallation();
  const base = { now: () => 1_000_000, monotonic: () => 0 };
  try {
    await assert.rejects(
      mendClock(db, base, async () => base.now() + 3_600_000),
      /60 minutes behind/,
    );
    assert.deepEqual(await db.read.selectFrom('meta').selectAll().execute(), []);
  } finally {
    await db.close();
  }
});
