// What a task could not do: a refusal is kept, a fault is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '../../domain/problem.ts';
import { keepRefusal, refusalOf, type TaskRefusal } from './refusals.ts';

test('work that is refused says why, work that is done says nothing, and a fault is thrown', async () => {
  const refusal = invalid('link.gone', 'It is gone.');
  assert.equal(await refusalOf(async () => 'done'), null);
  assert.equal(await refusalOf(() => Promise.reject(refusal)), refusal);
  await assert.rejects(
    refusalOf(() => Promise.reject(new TypeError('a fault'))),
    TypeError,
  );
});

test('of many refusals the first hundred are kept, with their values', () => {
  const refused: TaskRefusal[] = [];
  const problem = invalid('link.gone', 'It is gone.').withValues({ n: 3 });
  for (let count = 0; count < 102; count++) keepRefusal(refused, `id${count}`, problem);
  assert.equal(refused.length, 100);
  assert.deepEqual(refused[99], { id: 'id99', code: 'link.gone', sentence: 'It is gone.', values: { n: 3 } });
});
