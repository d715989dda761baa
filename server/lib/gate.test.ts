import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMutex, createSemaphore, TooBusy } from './gate.ts';

test('a full line turns people away and lets the others through', async () => {
  const gate = createSemaphore(1, 1);
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const first = gate.run(() => opened);
  const second = gate.run(async () => 'second');
  const third = gate.run(async () => 'third').catch((error: unknown) => error);
  assert.deepEqual([gate.running, gate.waiting], [1, 1]);
  open();
  await first;
  assert.equal(await second, 'second');
  assert.ok((await third) instanceof TooBusy);
  assert.deepEqual([gate.running, gate.waiting], [0, 0]);
});

test('a failing task frees its place', async () => {
  const gate = createMutex();
  const failures = [
    gate.run(() => {
      throw new Error('at once');
    }),
    gate.run(async () => Promise.reject(new Error('later'))),
  ];
  for (const failure of failures) await assert.rejects(failure);
  assert.equal(await gate.run(async () => 'fine'), 'fine');
});

test('never more than the limit run at once, all finish, in order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(3), { maxLength: 30 }), async (limit, turns) => {
      const gate = createSemaphore(limit, Number.POSITIVE_INFINITY);
      const started: number[] = [];
      let atOnce = 0;
      let most = 0;
      await Promise.all(
        turns.map((count, index) =>
          gate.run(async () => {
            started.push(index);
            atOnce += 1;
            most = Math.max(most, atOnce);
            for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
            atOnce -= 1;
          }),
        ),
      );
      assert.ok(most <= limit);
      assert.deepEqual(
        started,
        turns.map((_, index) => index),
      );
    }),
  );
});
