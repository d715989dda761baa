import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseBusy } from './errors.ts';
import { createWriteLock } from './write-lock.ts';

test('a writer that waits longer than the timeout is refused, and later ones get the lock', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lock = createWriteLock(5000);
  const release = await lock.acquire();
  const impatient = lock.acquire();
  t.mock.timers.tick(4000);
  const patient = lock.acquire();
  t.mock.timers.tick(1000);
  await assert.rejects(impatient, DatabaseBusy);
  release();
  // A process whose turn is over pauses first.
  let isServed = false;
  const served = patient.then((releaseAgain) => {
    isServed = true;
    releaseAgain();
  });
  while (!isServed) {
    t.mock.timers.tick(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await served;
});

test('one at a time, in the order of arrival', async () => {
  const lock = createWriteLock(5000);
  const order: number[] = [];
  let inside = 0;
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const release = await lock.acquire();
      assert.equal(++inside, 1);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(index);
      inside--;
      release();
    }),
  );
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
  );
});
