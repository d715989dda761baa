import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import {
  endLease,
  endLeasesOf,
  findHeldReason,
  holdJob,
  holdsLease,
  isRunning,
  listHeldJobs,
  listJobs,
  renewLease,
  takeLease,
} from './jobs.ts';

const lease = { name: 'job', holder: 'me' };

describe('Among other jobs', () => {
  const rows = useRows({ isReversed: true });
  const held: Among<'jobs'> = {
    table: 'jobs',
    right: { name: 'job', holder: 'me', lease_ends_at: 11, held_because: 'why', failures: 1 },
    wrong: { name: 'other', holder: 'another', lease_ends_at: 0 },
  };
  const named = { ...held, wrong: { name: 'other' } };

  test('one is taken when its lease has expired', async () => {
    const over = { ...held, wrong: { lease_ends_at: 12 } };
    const taken = { holder: 'another', lease_ends_at: 20 };
    await rows.changes(over, (tx) => takeLease(tx, { ...lease, holder: 'another' }, 11, 20), taken);
    rows.put('jobs', { ...held.right, name: 'other' });
    assert.equal(await takeLease(rows.db, lease, 11, 20), true);
    const ends = Object.fromEntries(rows.all('jobs').map((row) => [row.name, row.lease_ends_at]));
    assert.deepEqual(ends, { job: 20, other: 11 });
  });

  test('one runs until its lease ends', async () => {
    await rows.finds({ ...held, wrong: { name: 'other', lease_ends_at: 10 } }, (db) => isRunning(db, 'job', 10), true);
  });

  test('one is held from taking it until its release', async () => {
    await rows.finds(held, (tx) => holdsLease(tx, lease, 'sqlite'), true);
    await rows.changes(held, (tx) => renewLease(tx, lease, 20), { lease_ends_at: 20 });
  });

  test('a run ends for the holder of the lease, whether it succeeded or not', async () => {
    const { lease_ends_at: _, ...wrong } = held.wrong;
    const run = { note: 'done', tookMs: 3, failure: null };
    const ended = { lease_ends_at: 0, last_run_at: 9, note: 'done', took_ms: 3 };
    await rows.changes({ ...held, wrong }, (tx) => endLease(tx, lease, 9, run), { ...ended, failures: 0 });
    const failed = { ...ended, failures: 2, failed_at: 9, failure: 'no' };
    await rows.changes({ ...held, wrong }, (tx) => endLease(tx, lease, 9, { ...run, failure: 'no' }), failed);
  });

  test('those of a process that is dead end', async () => {
    await rows.changes({ ...held, wrong: { holder: 'another' } }, (tx) => endLeasesOf(tx, 'me'), { lease_ends_at: 0 });
  });

  test('one is held back and freed by its name', async () => {
    await rows.finds(named, (db) => findHeldReason(db, 'job'), 'why');
    await rows.changes(named, (tx) => holdJob(tx, 'job', null), { held_because: null });
  });

  test('they are listed by name, all or those that are held back', async () => {
    await rows.finds({ ...held, wrong: { held_because: null } }, listHeldJobs, [{ name: 'job', because: 'why' }]);
    rows.put('jobs', ...['b', 'a', 'c'].map((name) => ({ ...held.right, name })));
    const names = (found: { name: string }[]) => found.map(({ name }) => name).join();
    assert.equal(names(await listHeldJobs(rows.db)), 'a,b,c');
    assert.equal(names(await listJobs(rows.db, 5)), 'a,b,c');
  });
});
