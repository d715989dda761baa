import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Db, Tables, Tx } from '#server/db/schema/schema.ts';
import {
  countAttempt,
  deleteOldAttempts,
  findWindowEnd,
  forgetAttempts,
  forgetAttemptsAbout,
  listClosedLimits,
  uncountAttempts,
} from '#server/db/sessions/attempts.ts';
import { endLeasesOf, holdsLease, renewLease, takeLease } from '#server/db/system/jobs.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { counterRow } from '#test/kit/counters.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('Among other counters', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let db: Db;
  before(() => {
    ({ db } = app.app.ctx);
  });

  async function putCounters(...rows: Partial<Tables['attempts']>[]): Promise<void> {
    await db.write(async (tx) => {
      await tx.deleteFrom('attempts').execute();
      await tx.insertInto('attempts').values(rows.map(counterRow)).execute();
    });
  }
  const keys = async () =>
    (await db.read.selectFrom('attempts').select('key').orderBy('key').execute()).map(({ key }) => key);

  test('one counts up to its limit within a window, is blocked then, and starts again after it', async () => {
    const other = counterRow({ key: 'other', failures: 3, window_ends_at: 100 });
    await putCounters(other);
    const counter = { key: 'one', kind: 'k', about: 'ann', network: 'n', most: 3, windowMs: 50, closedMs: 70 };
    const count = (now: number) => db.write((tx) => countAttempt(tx, counter, now));
    const found = async () => {
      const [one, ...others] = await db.read.selectFrom('attempts').selectAll().orderBy('key').execute();
      assert.deepEqual(others, [other]);
      return [one!.failures, one!.began_at, one!.window_ends_at];
    };
    assert.deepEqual([await count(0), await count(10)], [1, 2]);
    assert.deepEqual(await found(), [2, 0, 50]);
    assert.equal(await count(40), 3);
    assert.deepEqual(await found(), [3, 0, 110]);
    assert.equal(await count(109), null);
    assert.deepEqual(await found(), [3, 0, 110], 'a refused attempt changes nothing');
    assert.equal(await findWindowEnd(db.read, 'one'), 110);
    await db.write((tx) => uncountAttempts(tx, counter, 1));
    assert.deepEqual(await found(), [2, 0, 50], 'a cancelled attempt ends the block');
    assert.equal(await count(49), 3);
    assert.equal(await count(119), 1);
    assert.deepEqual(await found(), [1, 119, 169]);
    await db.write((tx) => uncountAttempts(tx, counter, 1));
    assert.deepEqual(await keys(), ['other']);
    assert.equal(await findWindowEnd(db.read, 'one'), undefined);
    await count(0);
    await db.write((tx) => forgetAttempts(tx, 'one'));
    assert.deepEqual(await keys(), ['other']);
  });

  test('one without its own blocking time is blocked until its window ends', async () => {
    await putCounters({ key: 'other' });
    const counter = { key: 'one', kind: 'k', about: '', network: '', most: 1, windowMs: 50 };
    const count = (now: number) => db.write((tx) => countAttempt(tx, counter, now));
    assert.deepEqual([await count(0), await count(49), await count(50)], [1, null, 1]);
  });

  test('blocked ones are those of one kind at their limit whose window has not ended, the longest first', async () => {
    const row = (key: string, kind: string, failures: number, window_ends_at: number) => ({
      ...{ key, kind, failures, window_ends_at },
    });
    await putCounters(
      row('a', 'signIn', 5, 101),
      row('b', 'signIn', 6, 300),
      row('few', 'signIn', 4, 300),
      row('over', 'signIn', 5, 100),
      row('another kind', 'reset', 5, 300),
    );
    const closed = async (limit: number) =>
      (await listClosedLimits(db.read, { kind: 'signIn', most: 5, now: 100, limit })).map(({ key }) => key);
    assert.deepEqual([await closed(9), await closed(1)], [['b', 'a'], ['b']]);
    await db.write((tx) => deleteOldAttempts(tx, 101));
    assert.deepEqual(await keys(), ['a', 'another kind', 'b', 'few']);
  });

  test('those about a person are deleted, and no others', async () => {
    await putCounters(
      { key: '1', kind: 'signIn', about: 'ann' },
      { key: '2', kind: 'secondStep', about: 'ann' },
      { key: '3', kind: 'reset', about: 'ann' },
      { key: '4', kind: 'signIn', about: 'anna' },
      { key: '5', kind: 'signIn', about: '' },
    );
    assert.equal(await db.write((tx) => forgetAttemptsAbout(tx, 'ann', ['signIn', 'secondStep'])), 2);
    assert.deepEqual(await keys(), ['3', '4', '5']);
  });

  test('a job is leased by one process at a time, and renewed only by it', async () => {
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
    // A late renewal does not take back a released lease.
    await write((tx) => renewLease(tx, lease('two'), 900));
    assert.equal(await endsAt('a-job'), 0);
  });
});
