// Sums of days of the download log, with boundary cases beside the selected rows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { DownloadDaysTable, Query } from '../schema/schema.ts';
import {
  allOwners,
  beginDay,
  forgetDays,
  forgetDaysAfter,
  listDaysToSum,
  listOwnedRecipients,
  listSummedDays,
  saveDay,
  sumCells,
} from './download-days.ts';
import { dayMs } from './download-figures.ts';

const among = (right: Partial<DownloadDaysTable>, wrong: Among<'download_days'>['wrong']): Among<'download_days'> => ({
  table: 'download_days',
  right: { owner_id: 'alice', day: 5, sums: '{}', ...right },
  wrong,
});

describe('A day that was summed', () => {
  // SQLite finds days by owner and day, so rows inserted in order would hide a missing `order by`.
  const rows = useRows({ isReversed: true });
  const list = async (db: Query) =>
    (await listSummedDays(db, 'alice', { firstDay: 5, lastDay: 7 })).map(({ day }) => day);
  const sums = { sums: '{"new":1}', people: Buffer.from('bob!') };
  const save = () => saveDay(rows.db, 5, sums, new Map([['alice', { ...sums, sums: '{"own":1}' }]]));

  test('is listed for its owner within the stretch of days, the oldest first', async () => {
    await rows.finds(among({}, { owner_id: ['bob', allOwners], day: [4, 8], sums: '' }), list, [5]);
    await rows.finds(among({ day: 7 }, { day: 8 }), list, [7]);
    rows.put('download_days', ...[5, 6, 7].map((day) => among({ day }, {}).right));
    assert.deepEqual(await list(rows.db), [5, 6, 7]);
  });

  test('is saved if it was begun and nothing has changed since', async () => {
    for (const wrong of [{ owner_id: 'bob' }, { day: 4 }, { sums: '{}' }]) {
      const row = { ...among({ owner_id: allOwners, sums: '' }, {}).right, ...wrong };
      rows.put('download_days', row);
      const before = rows.all('download_days');
      assert.equal(await save(), false);
      assert.deepEqual(rows.all('download_days'), before);
    }
    await beginDay(rows.db, 5);
    assert.equal(await save(), true);
    const expected = [
      { owner_id: 'alice', day: 5, ...sums, sums: '{"own":1}' },
      { owner_id: allOwners, day: 5, ...sums },
    ];
    assert.deepEqual(
      rows.all('download_days').sort((a, b) => b.owner_id.length - a.owner_id.length),
      expected,
    );
  });

  test('is forgotten with the days around it, or with all that come later', async () => {
    await rows.changes(among({}, { day: [4, 7] }), (tx) => forgetDays(tx, 5, 6), null);
    await rows.changes(among({ day: 6 }, { day: 5 }), (tx) => forgetDaysAfter(tx, 5), null);
  });
});

describe('A day is to be summed', () => {
  const rows = useRows();
  const on = (...days: number[]) =>
    rows.put('downloads', ...days.map((day, number) => ({ owner_id: 'alice', number, granted_at: day * dayMs })));

  test('if it has downloads, until the last one that has ended, oldest first', async () => {
    rows.put('download_days');
    on(3, 1, 4, 2);
    assert.deepEqual(await listDaysToSum(rows.db, 3, 9), [1, 2, 3]);
    assert.deepEqual(await listDaysToSum(rows.db, 3, 2), [1, 2]);
  });

  test('while there are no sums over all users, or they were begun only', async () => {
    on(5);
    const summed = among({ owner_id: allOwners }, { owner_id: 'alice', sums: '' });
    await rows.finds(summed, (db) => listDaysToSum(db, 5, 9), []);
  });
});

describe('Lines of a day', () => {
  const rows = useRows();
  const line: Among<'downloads'> = {
    table: 'downloads',
    right: {
      owner_id: 'alice',
      attachment_id: 'file',
      recipient: 'bob@example.org',
      outcome: 'complete',
      granted_at: 5,
    },
    wrong: { outcome: 'refunded', granted_at: [4, 7] },
  };
  const stretch = { from: 5, to: 7 };

  test('are added up unless they were refunded', async () => {
    const sum = async (db: Query) =>
      (await sumCells(db, stretch)).map(({ attachmentId, downloads }) => [attachmentId, downloads]);
    await rows.finds(line, sum, [['file', 1]]);
  });

  test('name the known addresses of each owner', async () => {
    const wrong = { ...line.wrong, recipient: '' };
    const known = [{ ownerId: 'alice', address: 'bob@example.org' }];
    await rows.finds({ ...line, wrong }, (db) => listOwnedRecipients(db, stretch), known);
  });
});
