import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ctx } from '../context.ts';
import { joinQueue } from './quota-queue.ts';

const newProcess = () => ({ db: {} as Ctx['db'] });

describe('the queue of one user’s uploads of unannounced length', () => {
  test('an upload that is alone does not wait, nor for uploads of other users or installations', () => {
    const ctx = newProcess();
    const first = joinQueue(ctx, 'alice');
    joinQueue(ctx, 'bob');
    joinQueue(newProcess(), 'alice');
    assert.equal(first.laterEnded(), null);
  });

  test('the first upload waits until the later one has ended; the later one never waits', async () => {
    const ctx = newProcess();
    const [first, second] = [joinQueue(ctx, 'alice'), joinQueue(ctx, 'alice')];
    assert.equal(second.laterEnded(), null);
    const waiting = first.laterEnded();
    second.end();
    assert.equal(await waiting, true);
    assert.equal(first.laterEnded(), null, 'no upload is left to wait for');
  });

  test('the end of any later upload wakes the first', async () => {
    const ctx = newProcess();
    const [first, , third] = [joinQueue(ctx, 'alice'), joinQueue(ctx, 'alice'), joinQueue(ctx, 'alice')];
    const waiting = first.laterEnded();
    third.end();
    assert.equal(await waiting, true);
    assert.notEqual(first.laterEnded(), null, 'one is still running');
  });

  test('the first waits at most 30 seconds for a slow upload', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const ctx = newProcess();
    const first = joinQueue(ctx, 'alice');
    joinQueue(ctx, 'alice');
    let result: boolean | null = null;
    const waiting = first.laterEnded()!.then((ended) => {
      result = ended;
    });
    t.mock.timers.tick(29_999);
    await Promise.resolve();
    assert.equal(result, null);
    t.mock.timers.tick(1);
    await waiting;
    assert.equal(result, false);
  });

  test('when the first has ended, the next is first; ending twice has no effect', async () => {
    const ctx = newProcess();
    const [first, second, third] = [joinQueue(ctx, 'alice'), joinQueue(ctx, 'alice'), joinQueue(ctx, 'alice')];
    const own = first.laterEnded();
    first.end();
    assert.equal(await own, true, 'an ended upload waits no longer');
    first.end();
    const waiting = second.laterEnded();
    assert.notEqual(waiting, null);
    third.end();
    assert.equal(await waiting, true);
    second.end();
    const later = joinQueue(ctx, 'alice');
    assert.equal(later.laterEnded(), null);
  });
});
