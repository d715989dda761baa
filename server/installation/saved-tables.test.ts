import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import { collect } from '../blobs/blob-store.suite.ts';
import { openVault } from '../blobs/encrypted.ts';
import type { SqlValue } from '../db/engine/values.ts';
import { createRandom } from '../lib/ids.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { readTable, saveTable, type TableVault } from './saved-tables.ts';

const columns = ['id', 'text', 'bytes'];
const rows: SqlValue[][] = [
  [1, 'two\nlines', Buffer.from([0, 10, 255])],
  [2, null, Buffer.alloc(0)],
  [3, 'x'.repeat(200_000), randomBytes(100)],
];

async function saved() {
  const vault = openVault(openMemoryStore());
  const tables: TableVault = { vault, dataKey: randomBytes(32), snapshotId: 'one' };
  async function* batches() {
    yield rows.slice(0, 2);
    yield [];
    yield rows.slice(2);
  }
  return { tables, table: await saveTable(tables, { name: 'files', columns, batches: batches() }, createRandom()) };
}

test('rows are read as they were saved', async () => {
  const { tables, table } = await saved();
  assert.deepEqual([table.name, table.rows, table.columns], ['files', 3, columns]);
  assert.deepEqual(await collect(readTable(tables, table)), rows);
});

test('changed rows are refused, whether their number or their checksum is wrong', async () => {
  const { tables, table } = await saved();
  for (const wrong of [
    { ...table, rows: 2 },
    { ...table, rows: 4 },
    { ...table, sum: table.sum.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
  ])
    await assert.rejects(collect(readTable(tables, wrong)), (error) => {
      assert.ok(error instanceof OperatorProblem);
      assert.equal(error.message, 'The table files of the backup one is not what was saved.');
      return true;
    });
});
