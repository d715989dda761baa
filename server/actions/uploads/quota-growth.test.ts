import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { invalid } from '../../domain/problem.ts';
import { createGrowth } from './quota-growth.ts';

const kilo = 1024;
const mega = 1024 * kilo;
const full = () => invalid('attachment.quota_full', 'There is no room.');

/** A ledger with this much space, and the steps it was asked to reserve. */
function growthWithin(
  bytes: number,
  {
    laterEnded = () => null,
    reserve: reserveInstead,
  }: { laterEnded?: () => Promise<boolean> | null; reserve?: () => Promise<boolean> } = {},
) {
  const asked: number[] = [];
  const space = { bytes };
  const reserve = async (step: number) => {
    asked.push(step);
    if (step > space.bytes) return false;
    space.bytes -= step;
    return true;
  };
  let ends = 0;
  const end = () => {
    ends += 1;
  };
  return { growth: createGrowth(reserveInstead ?? reserve, { laterEnded, end }, full), asked, space, ends: () => ends };
}

describe('a reservation of unannounced length', () => {
  test('is ahead of the received bytes by 64 KB at first, then by an eighth, and never by more than 64 MB', async () => {
    const { growth, asked } = growthWithin(4096 * mega);
    for (const [count, step] of [
      [10, 10 + 64 * kilo],
      [8 * mega, 8 * mega - 64 * kilo + mega + 1],
      [1024 * mega, 1024 * mega - mega - 1 + 64 * mega],
    ] as const) {
      assert.equal(growth.addBytes(count), undefined);
      await growth.reserveRest();
      assert.equal(asked.at(-1), step);
    }
    assert.equal(asked.length, 3);
  });

  test('grows once less than 32 KB of it are left, not earlier', async () => {
    const { growth, asked } = growthWithin(mega);
    growth.addBytes(0);
    await growth.reserveRest();
    growth.addBytes(32 * kilo - 1);
    await growth.reserveRest();
    assert.deepEqual(asked, [64 * kilo]);
    growth.addBytes(1);
    await growth.reserveRest();
    assert.deepEqual(asked, [64 * kilo, 64 * kilo], 'nothing is missing yet: only the lead');
  });

  test('has no lead where there is no space for one', async () => {
    const { growth, asked, space } = growthWithin(1);
    growth.addBytes(1);
    await growth.reserveRest();
    assert.deepEqual(asked, [1 + 64 * kilo, 1]);
    assert.equal(space.bytes, 0);
  });

  test('grows one step at a time', async () => {
    const { growth, asked } = growthWithin(mega);
    growth.addBytes(10);
    growth.addBytes(10);
    assert.deepEqual(asked, [10 + 64 * kilo]);
    await growth.reserveRest();
    assert.equal(asked.length, 1, 'the lead covers bytes that arrived in the meantime');
  });

  test('delays bytes that are more than 64 KB ahead of a pending step', async () => {
    const answered = Promise.withResolvers<boolean>();
    const { growth } = growthWithin(0, { reserve: () => answered.promise });
    assert.equal(growth.addBytes(64 * kilo), undefined);
    const held = growth.addBytes(1);
    assert.ok(held !== undefined);
    let isHeld = true;
    void held.then(() => {
      isHeld = false;
    });
    await turn();
    assert.ok(isHeld);
    answered.resolve(true);
    await held;
  });

  test('accepts 64 KB after a refused step, and refuses the next byte unless space was freed', async () => {
    for (const freed of [0, mega]) {
      const { growth, space } = growthWithin(0);
      growth.addBytes(64 * kilo);
      await turn();
      assert.equal(growth.addBytes(0), undefined);
      await turn();
      space.bytes = freed;
      const held = growth.addBytes(1)!;
      if (freed === 0) await assert.rejects(held, { code: 'attachment.quota_full' });
      else assert.equal(await held, undefined);
    }
  });

  test('waits for later uploads to end while there is no space, and retries after each', async () => {
    const ends = [Promise.resolve(true), Promise.resolve(true), Promise.resolve(false)];
    const { growth, asked } = growthWithin(0, { laterEnded: () => ends.shift() ?? null });
    growth.addBytes(10);
    await growth.reserveRest();
    assert.equal(ends.length, 0);
    assert.equal(asked.length, 8, 'at first, and once after each end; each time with and without the lead');
  });

  test('stops growing when it is stopped, and leaves the queue', async () => {
    const { growth, asked, ends } = growthWithin(0, { laterEnded: async () => true });
    await growth.stop();
    growth.addBytes(10);
    await growth.reserveRest();
    assert.deepEqual(asked, []);
    growth.finish();
    assert.equal(ends(), 1);
  });

  test('treats a failed query as no refusal: the next bytes retry', async () => {
    let answers = 0;
    const reserve = async () => {
      answers += 1;
      if (answers === 1) throw new Error('unreachable');
      return true;
    };
    const growth = createGrowth(reserve, { laterEnded: () => null, end() {} }, full);
    growth.addBytes(100 * kilo);
    await turn();
    assert.equal(growth.addBytes(1), undefined);
    await growth.reserveRest();
    assert.equal(answers, 2);
  });
});
