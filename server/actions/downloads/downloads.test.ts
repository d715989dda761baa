// How long a busy database is waited for when a download has ended and nobody waits for its line.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseBusy } from '../../db/engine/errors.ts';
import { writePatiently } from './downloads.ts';

function databaseThat(failures: Error[]) {
  const pauses: number[] = [];
  let asked = 0;
  const write = async <Result>() => {
    asked += 1;
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return 'written' as Result;
  };
  const run = writePatiently(
    { db: { write } },
    async () => {},
    async (ms) => pauses.push(ms),
  );
  return { run, pauses, asked: () => asked };
}
const busy = (times: number) => Array.from({ length: times }, () => new DatabaseBusy('in use'));

describe('the line of a download that has ended', () => {
  test('is written once a busy database has time, asked twelve times a quarter of a second apart', async () => {
    const { run, pauses } = databaseThat(busy(11));
    assert.equal(await run, 'written');
    assert.deepEqual(pauses, Array(11).fill(250));
  });

  test('is given up after the twelfth, and at once for a fault', async () => {
    const { run, asked } = databaseThat(busy(12));
    await assert.rejects(run, DatabaseBusy);
    assert.equal(asked(), 12);
    const broken = databaseThat([new TypeError('a fault')]);
    await assert.rejects(broken.run, TypeError);
    assert.deepEqual([broken.asked(), broken.pauses], [1, []]);
  });
});
