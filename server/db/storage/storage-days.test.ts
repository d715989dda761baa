import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { deleteStorageDaysBefore, listStorageDays, saveStorageDay } from './storage-days.ts';

describe('Days of the store', () => {
  const rows = useRows({ isReversed: true });
  const day: Among<'storage_days'> = {
    table: 'storage_days',
    right: { day: '2026-01-02' },
    wrong: { day: '2026-01-01' },
  };

  test('are listed from one day on, oldest first', async () => {
    const days = async (db: Query) => (await listStorageDays(db, '2026-01-02')).map((one) => one.day);
    await rows.finds(day, days, ['2026-01-02']);
    rows.put('storage_days', { day: '2026-01-03' }, { day: '2026-01-02' }, { day: '2026-01-04' });
    assert.deepEqual(await days(rows.db), ['2026-01-02', '2026-01-03', '2026-01-04']);
  });

  test('have the last measurement', async () => {
    const look = { day: '2026-01-02', at: 9, keptBytes: 1, usedBytes: 2, totalBytes: 3 };
    const becomes = { at: 9, kept_bytes: 1, used_bytes: 2, total_bytes: 3 };
    await rows.changes({ ...day, wrong: {} }, (tx) => saveStorageDay(tx, look), becomes);
  });

  test('of before one are forgotten', async () => {
    const old = { ...day, wrong: { day: '2026-01-03' } };
    await rows.changes(old, (tx) => deleteStorageDaysBefore(tx, '2026-01-03'), null);
  });
});
