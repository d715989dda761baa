// Whose turn it is among uploads of one person that announce no length: the first waits for later ones, and only the first.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ctx } from '../context.ts';
import { takeTurn } from './quota-turns.ts';

const newProcess = () => ({ db: {} as Ctx['db'] });

describe('uploads of one person that announce no length', () => {
  test('one that is alone waits for nobody, nor does one of another person or another installation', () => {
    const ctx = newProcess();
    const first = takeTurn(ctx, 'alice');
    takeTurn(ctx, 'bob');
    takeTurn(newProcess(), 'alice');
    assert.equal(first.laterEnded(), null);
  });

  test('the first waits until the only later one has ended; the later one never waits', async () => {
    const ctx = newProcess();
    const [first, second] = [takeTurn(ctx, 'alice'), takeTurn(ctx, 'alice')];
    assert.equal(second.laterEnded(), null);
    const waiting = first.laterEnded();
    second.end();
    assert.equal(await waiting, true);
    assert.equal(first.laterEnded(), null, 'nobody is left to wait for');
  });

  test('the end of any later one is news for the first', async () => {
    const ctx = newProcess();
    const [first, , third] = [takeTurn(ctx, 'alice'), takeTurn(ctx, 'alice'), takeTurn(ctx, 'alice')];
    const waiting = first.laterEnded();
    third.end();
    assert.equal(await waiting, true);
    assert.notEqual(first.laterEnded(), null, 'one is still under way');
  });

  test('the first does not wait for a slow one longer than 30 seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const ctx = newProcess();
    const first = takeTurn(ctx, 'alice');
    takeTurn(ctx, 'alice');
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

  test('when the first has ended the next one is first; ending twice changes nothing', async () => {
    const ctx = newProcess();
    const [first, second, third] = [takeTurn(ctx, 'alice'), takeTurn(ctx, 'alice'), takeTurn(ctx, 'alice')];
    const own = first.laterEnded();
    first.end();
    assert.equal(await own, true, 'who has ended itself waits no longer');
    first.end();
    const waiting = second.laterEnded();
    assert.notEqual(waiting, null);
    third.end();
    assert.equal(await waiting, true);
    second.end();
    const later = takeTurn(ctx, 'alice');
    assert.equal(later.laterEnded(), null);
  });
});
