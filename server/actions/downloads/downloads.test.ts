import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseBusy } from '../../db/engine/errors.ts';
import { writeWithRetries } from './request-ends.ts';

function databaseThat(failures: Error[]) {
  const pauses: number[] = [];
  let attempts = 0;
  const write = async <Result>() => {
    attempts += 1;
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return 'written' as Result;
  };
  const run = writeWithRetries(
    { db: { write } },
    async () => {},
    async (ms) => pauses.push(ms),
  );
  return { run, pauses, attempts: () => attempts };
}
const busy = (times: number) => Array.from({ length: times }, () => new DatabaseBusy('in use'));

describe('the log row of a finished download', () => {
  test('is written once a busy database responds, in up to twelve attempts a quarter of a second apart', async () => {
    const { run, pauses } = databaseThat(busy(11));
    assert.equal(await run, 'written');
    assert.deepEqual(pauses, Array(11).fill(250));
  });

  test('is abandoned after the twelfth attempt, and immediately after another error', async () => {
    const { run, attempts } = databaseThat(busy(12));
    await assert.rejects(run, DatabaseBusy);
    assert.equal(attempts(), 12);
    const broken = databaseThat([new TypeError('a fault')]);
    await assert.rejects(broken.run, TypeError);
    assert.deepEqual([broken.attempts(), broken.pauses], [1, []]);
  });
});
