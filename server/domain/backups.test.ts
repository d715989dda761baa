import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isBackupDue, isRestoreTestDue, snapshotsToKeep } from './backups.ts';

const at = (text: string) => Date.parse(`${text}Z`);

/** With files, unless it ends with an asterisk. */
const snapshot = (text: string) => ({ madeAt: at(text.replace('*', '')), hasFiles: !text.endsWith('*') });

describe('snapshots to keep', () => {
  const kept = (texts: string[], keepDays: number, keepWeeks: number) =>
    [...snapshotsToKeep(texts.map(snapshot), { keepDays, keepWeeks }, at('2026-11-16T10:00'))]
      .sort()
      .map((instant) => new Date(instant).toISOString());

  test('the newest is always kept', () => {
    assert.deepEqual(kept(['2026-11-01T00:00', '2026-11-02T00:00'], 0, 0), ['2026-11-02T00:00:00.000Z']);
    assert.deepEqual(kept([], 7, 4), []);
  });

  test('of each day the last one, for as many days as have any', () => {
    assert.deepEqual(kept(['2026-11-01T10:00', '2026-11-09T10:00', '2026-11-09T12:00', '2026-11-16T10:00'], 2, 0), [
      '2026-11-09T12:00:00.000Z',
      '2026-11-16T10:00:00.000Z',
    ]);
  });

  test('one of the database alone replaces none with files, and ends with its day', () => {
    const days = ['2026-11-01T10:00', '2026-11-02T10:00', '2026-11-02T11:00*', '2026-11-02T12:00*'];
    assert.deepEqual(kept(days, 7, 0), [
      '2026-11-01T10:00:00.000Z',
      '2026-11-02T10:00:00.000Z',
      '2026-11-02T12:00:00.000Z',
    ]);
    assert.deepEqual(kept(days, 1, 0), ['2026-11-02T10:00:00.000Z', '2026-11-02T12:00:00.000Z']);
    assert.deepEqual(kept([...days, '2026-11-02T13:00'], 1, 0), ['2026-11-02T13:00:00.000Z']);
    assert.deepEqual(kept([...days, '2026-11-03T10:00*'], 1, 0), [
      '2026-11-02T10:00:00.000Z',
      '2026-11-03T10:00:00.000Z',
    ]);
    assert.deepEqual(kept([...days, '2026-11-03T10:00'], 1, 0), ['2026-11-03T10:00:00.000Z']);
    assert.deepEqual(kept(days, 0, 1), ['2026-11-02T10:00:00.000Z', '2026-11-02T12:00:00.000Z']);
  });

  test('one from the future is kept and replaces none', () => {
    assert.deepEqual(kept(['2026-11-15T10:00', '2026-11-16T10:00', '2026-12-26T10:00', '2026-12-27T10:00'], 1, 0), [
      '2026-11-16T10:00:00.000Z',
      '2026-12-26T10:00:00.000Z',
      '2026-12-27T10:00:00.000Z',
    ]);
  });

  test('of each week from Monday to Sunday the last one', () => {
    assert.deepEqual(
      kept(['2026-11-02T00:00', '2026-11-08T23:59', '2026-11-09T00:00', '2026-11-15T23:59', '2026-11-16T00:00'], 1, 3),
      ['2026-11-08T23:59:00.000Z', '2026-11-15T23:59:00.000Z', '2026-11-16T00:00:00.000Z'],
    );
  });
});

test('a backup is due once a day, from its time of day on, also when that was missed', () => {
  const today = { start: at('2026-11-16T00:00'), minuteOfDay: 150 };
  const due = (last: string | null, now: string) => isBackupDue(last === null ? null : at(last), at(now), today);
  assert.equal(due(null, '2026-11-16T01:00'), true);
  assert.equal(due('2026-11-15T02:30', '2026-11-16T02:29'), false);
  assert.equal(due('2026-11-15T02:30', '2026-11-16T02:30'), true);
  assert.equal(due('2026-11-16T02:30', '2026-11-16T23:59'), false);
  assert.equal(due('2026-11-14T02:30', '2026-11-16T01:00'), true);
});

test('a restore test is due after its interval, or never', () => {
  assert.equal(isRestoreTestDue(null, 5, 0), false);
  assert.equal(isRestoreTestDue(null, 5, 10), true);
  assert.equal(isRestoreTestDue(0, 9, 10), false);
  assert.equal(isRestoreTestDue(0, 10, 10), true);
});
