import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMutex, createSemaphore, TooBusy } from './gate.ts';

test('a full queue rejects further tasks and runs the others', async () => {
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
      throw new Error('immediately');
    }),
    gate.run(async () => Promise.reject(new Error('later'))),
  ];
  for (const failure of failures) await assert.rejects(failure);
  assert.equal(await gate.run(async () => 'fine'), 'fine');
});

test('never more than the limit run in parallel, and all finish in order of arrival', async () => {
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

test('parties take turns, and within one party the order of arrival decides', async () => {
  const gate = createSemaphore(1, Number.POSITIVE_INFINITY);
  const started: string[] = [];
  const arrivals = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'];
  await Promise.all(arrivals.map((name) => gate.run(() => void started.push(name), name[0])));
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('a party with nothing running comes before one that has something running', async () => {
  const gate = createSemaphore(2, Number.POSITIVE_INFINITY);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const arrive = (name: string) =>
    gate.run(() => {
      started.push(name);
      return new Promise<void>((end) => ends.set(name, end));
    }, name[0]);
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map(arrive);
  for (const name of ['a1', 'a2', 'b1', 'a3', 'a4']) {
    while (!ends.has(name)) await Promise.resolve();
    ends.get(name)!();
  }
  await Promise.all(all);
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('a full queue takes a place from the party with the most waiting tasks', async () => {
  const gate = createSemaphore(1, 4);
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const outcomes: string[] = [];
  const arrive = (name: string) =>
    gate
      .run(() => opened, name[0])
      .then(
        () => outcomes.push(name),
        (error: unknown) => outcomes.push(error instanceof TooBusy ? `${name} refused` : 'failed'),
      );
  const all = ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'c1'].map(arrive);
  await Promise.all([all[5], all[4], all[3], all[2], all[8]]);
  assert.deepEqual(outcomes.toSorted(), ['a2 refused', 'a3 refused', 'a4 refused', 'a5 refused', 'b3 refused']);
  assert.deepEqual([gate.running, gate.waiting], [1, 4]);
  open();
  await Promise.all(all);
  assert.equal(outcomes.length, 10);
});
