// Reservations of an upload without a length: how much is reserved, when, and what a full answer means.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { invalid } from '../../domain/problem.ts';
import { createGrowth } from './quota-growth.ts';

const kilo = 1024;
const mega = 1024 * kilo;
const full = () => invalid('attachment.quota_full', 'There is no room.');

/** A ledger with this much room, and what it was asked for. */
function roomOf(
  bytes: number,
  {
    laterEnded = () => null,
    reserve: reserveInstead,
  }: { laterEnded?: () => Promise<boolean> | null; reserve?: () => Promise<boolean> } = {},
) {
  const asked: number[] = [];
  const room = { bytes };
  const reserve = async (step: number) => {
    asked.push(step);
    if (step > room.bytes) return false;
    room.bytes -= step;
    return true;
  };
  let ends = 0;
  const end = () => {
    ends += 1;
  };
  return { growth: createGrowth(reserveInstead ?? reserve, { laterEnded, end }, full), asked, room, ends: () => ends };
}

describe('room that grows with the bytes', () => {
  test('is asked for what has come and 64 KB more at first, then an eighth more, and never more than 64 MB ahead', async () => {
    const { growth, asked } = roomOf(4096 * mega);
    for (const [count, step] of [
      [10, 10 + 64 * kilo],
      [8 * mega, 8 * mega - 64 * kilo + mega + 1],
      [1024 * mega, 1024 * mega - mega - 1 + 64 * mega],
    ] as const) {
      assert.equal(growth.take(count), undefined);
      await growth.settle();
      assert.equal(asked.at(-1), step);
    }
    assert.equal(asked.length, 3);
  });

  test('is asked for again once less than 32 KB of the promise are left, not earlier', async () => {
    const { growth, asked } = roomOf(mega);
    growth.take(0);
    await growth.settle();
    growth.take(32 * kilo - 1);
    await growth.settle();
    assert.deepEqual(asked, [64 * kilo]);
    growth.take(1);
    await growth.settle();
    assert.deepEqual(asked, [64 * kilo, 64 * kilo], 'nothing is missing yet: only what is ahead');
  });

  test('is what is needed where there is no room for more', async () => {
    const { growth, asked, room } = roomOf(1);
    growth.take(1);
    await growth.settle();
    assert.deepEqual(asked, [1 + 64 * kilo, 1]);
    assert.equal(room.bytes, 0);
  });

  test('is not asked for twice at a time', async () => {
    const { growth, asked } = roomOf(mega);
    growth.take(10);
    growth.take(10);
    assert.deepEqual(asked, [10 + 64 * kilo]);
    await growth.settle();
    assert.equal(asked.length, 1, 'what came meanwhile is covered by what was ahead');
  });

  test('holds bytes up that are more than 64 KB ahead of a reservation under way', async () => {
    const answered = Promise.withResolvers<boolean>();
    const { growth } = roomOf(0, { reserve: () => answered.promise });
    assert.equal(growth.take(64 * kilo), undefined);
    const held = growth.take(1);
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

  test('lets 64 KB pass after a full answer; one byte more is refused, unless there is room by then', async () => {
    for (const freed of [0, mega]) {
      const { growth, room } = roomOf(0);
      growth.take(64 * kilo);
      await turn();
      assert.equal(growth.take(0), undefined);
      await turn();
      room.bytes = freed;
      const held = growth.take(1)!;
      if (freed === 0) await assert.rejects(held, { code: 'attachment.quota_full' });
      else assert.equal(await held, undefined);
    }
  });

  test('waits for later uploads to end while it is full, and asks after each', async () => {
    const ends = [Promise.resolve(true), Promise.resolve(true), Promise.resolve(false)];
    const { growth, asked } = roomOf(0, { laterEnded: () => ends.shift() ?? null });
    growth.take(10);
    await growth.settle();
    assert.equal(ends.length, 0);
    assert.equal(asked.length, 8, 'at first, and once for each answer; each time with and without what is ahead');
  });

  test('is asked for no more once it was stopped, and its turn ends', async () => {
    const { growth, asked, ends } = roomOf(0, { laterEnded: async () => true });
    await growth.stop();
    growth.take(10);
    await growth.settle();
    assert.deepEqual(asked, []);
    growth.end();
    assert.equal(ends(), 1);
  });

  test('is not refused by a database that could not be asked: the next bytes ask again', async () => {
    let answers = 0;
    const reserve = async () => {
      answers += 1;
      if (answers === 1) throw new Error('away');
      return true;
    };
    const growth = createGrowth(reserve, { laterEnded: () => null, end() {} }, full);
    growth.take(100 * kilo);
    await turn();
    assert.equal(growth.take(1), undefined);
    await growth.settle();
    assert.equal(answers, 2);
  });
});
