// Counts of failed attempts and leases of jobs, each among others: a door, a job or a process that is nearly the same.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Db, Tx } from '#server/db/schema/schema.ts';
import {
  countFailure,
  deleteOldAttempts,
  extendWindow,
  findAttempts,
  forgetAttempts,
  forgetAttemptsOf,
  listClosedDoors,
  uncountFailure,
} from '#server/db/sessions/attempts.ts';
import { endLeasesOf, holdsLease, renewLease, takeLease } from '#server/db/system/jobs.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('Among other doors', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let db: Db;
  before(() => {
    ({ db } = app.app.ctx);
  });

  async function doors(rows: Record<string, [failures: number, endsAt: number]>): Promise<void> {
    await db.write(async (tx) => {
      await tx.deleteFrom('attempts').execute();
      const values = Object.entries(rows).map(([key, [failures, window_ends_at]]) => ({
        key,
        failures,
        window_ends_at,
      }));
      await tx.insertInto('attempts').values(values).execute();
    });
  }
  const all = async () => {
    const rows = await db.read.selectFrom('attempts').selectAll().execute();
    return Object.fromEntries(rows.map((row) => [row.key, [row.failures, row.window_ends_at]]));
  };

  test('failures count up to a limit within a window, and from one again after it', async () => {
    await doors({ other: [3, 100] });
    const fail = (now: number) => db.write((tx) => countFailure(tx, { key: 'door', now, windowMs: 50, most: 3 }));
    assert.deepEqual(await fail(0), { failures: 1, windowEndsAt: 50 });
    assert.deepEqual(await fail(10), { failures: 2, windowEndsAt: 50 });
    await db.write((tx) => uncountFailure(tx, 'door'));
    assert.deepEqual(await fail(49), { failures: 2, windowEndsAt: 50 });
    assert.deepEqual([(await fail(49)).failures, (await fail(49)).failures], [3, 3]);
    await db.write((tx) => extendWindow(tx, 'door', 80));
    assert.deepEqual(await findAttempts(db.read, 'door'), { failures: 3, windowEndsAt: 80 });
    assert.deepEqual(await fail(80), { failures: 1, windowEndsAt: 130 });
    for (let times = 0; times < 3; times++) await db.write((tx) => uncountFailure(tx, 'door'));
    assert.deepEqual(await all(), { other: [3, 100], door: [0, 130] });
    await db.write((tx) => forgetAttempts(tx, 'door'));
    assert.deepEqual(await all(), { other: [3, 100] });
    assert.equal(await findAttempts(db.read, 'door'), undefined);
  });

  test('closed doors are those with enough failures whose window has not ended, the longest first', async () => {
    await doors({
      'login:a': [5, 101],
      'login:b': [6, 300],
      'login:few': [4, 300],
      'login:over': [5, 100],
      'totp:a': [5, 300],
      'loginX:a': [5, 300],
    });
    const closed = async (limit: number) =>
      (await listClosedDoors(db.read, { prefix: 'login:', most: 5, now: 100, limit })).map(({ key }) => key);
    assert.deepEqual([await closed(9), await closed(1)], [['login:b', 'login:a'], ['login:b']]);
    await db.write((tx) => deleteOldAttempts(tx, 101));
    assert.deepEqual(Object.keys(await all()).toSorted(), ['login:a', 'login:b', 'login:few', 'loginX:a', 'totp:a']);
  });

  test('a person’s doors are forgotten, and not those of somebody whose name begins alike', async () => {
    await doors({
      'login:ann': [1, 1],
      'login:ann:192.0.2.1': [1, 1],
      'totp:ann': [1, 1],
      'password-again:ann': [1, 1],
      'login:anna': [1, 1],
      'totp:anna': [1, 1],
      'reset:ann': [1, 1],
    });
    assert.equal(await db.write((tx) => forgetAttemptsOf(tx, 'ann')), 4);
    assert.deepEqual(Object.keys(await all()).toSorted(), ['login:anna', 'reset:ann', 'totp:anna']);
  });

  test('a job is leased by one process at a time, and renewed by it alone', async () => {
    const write = <Result>(work: (tx: Tx) => Promise<Result>) => db.write(work);
    const lease = (holder: string, name = 'a-job') => ({ name, holder });
    assert.equal(await write((tx) => takeLease(tx, lease('one'), 0, 100)), true);
    assert.equal(await write((tx) => takeLease(tx, lease('one', 'other-job'), 0, 100)), true);
    assert.equal(await write((tx) => takeLease(tx, lease('two'), 99, 200)), false);
    const endsAt = async (name: string) => {
      const rows = await db.read.selectFrom('jobs').select(['name', 'lease_ends_at']).execute();
      return rows.find((row) => row.name === name)!.lease_ends_at;
    };
    await write((tx) => renewLease(tx, lease('two'), 500));
    assert.deepEqual([await endsAt('a-job'), await endsAt('other-job')], [100, 100]);
    await write((tx) => renewLease(tx, lease('one'), 150));
    assert.deepEqual([await endsAt('a-job'), await endsAt('other-job')], [150, 100]);
    assert.equal(await write((tx) => takeLease(tx, lease('two'), 150, 300)), true);
    const holds = (holder: string) => write((tx) => holdsLease(tx, lease(holder), db.dialect));
    assert.deepEqual([await holds('one'), await holds('two')], [false, true]);
    await write((tx) => endLeasesOf(tx, 'one'));
    assert.deepEqual([await endsAt('a-job'), await endsAt('other-job')], [300, 0]);
    await write((tx) => endLeasesOf(tx, 'two'));
    assert.equal(await holds('two'), false);
    // One that was given back is not taken again by a late renewal.
    await write((tx) => renewLease(tx, lease('two'), 900));
    assert.equal(await endsAt('a-job'), 0);
  });
});
