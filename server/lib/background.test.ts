import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createBackground } from './background.ts';

describe('work in the background', () => {
  test('starts immediately while there is room, and one after the other beyond that', async () => {
    const background = createBackground(2);
    const ends = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const begun: number[] = [];
    const start = (number: number) =>
      background.start(() => {
        begun.push(number);
        return ends[number]!.promise;
      });
    await start(0);
    await start(1);
    const third = start(2);
    await turn();
    assert.deepEqual(begun, [0, 1]);
    ends[1]!.resolve();
    await third;
    assert.deepEqual(begun, [0, 1, 2]);
    let isOver = false;
    const finished = background.finish().then(() => {
      isOver = true;
    });
    ends[0]!.resolve();
    await turn();
    assert.ok(!isOver);
    ends[2]!.resolve();
    await finished;
  });

  test('is over when the only task is', async () => {
    const background = createBackground(2);
    const only = Promise.withResolvers<void>();
    let isOver = false;
    await background.start(() => only.promise);
    const finished = background.finish().then(() => {
      isOver = true;
    });
    await turn();
    assert.ok(!isOver);
    only.resolve();
    await finished;
  });

  test('reports its first failure to the next caller, after the other tasks have ended', async () => {
    const background = createBackground(3);
    const other = Promise.withResolvers<void>();
    let isOver = false;
    await background.start(async () => {
      await other.promise;
      isOver = true;
    });
    await background.start(() => Promise.reject(new Error('first')));
    await turn();
    await assert.rejects(
      background.start(async () => assert.fail('nothing begins after a failure')),
      /first/,
    );
    const finished = assert.rejects(background.finish(), /first/);
    other.resolve();
    await finished;
    assert.ok(isOver);
  });
});
