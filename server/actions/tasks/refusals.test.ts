import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '../../domain/problem.ts';
import { addRefusal, refusalOf, type TaskRefusal } from './refusals.ts';

test('refused work returns its refusal, finished work returns null, and other errors are thrown', async () => {
  const refusal = invalid('link.gone', 'It is gone.');
  assert.equal(await refusalOf(async () => 'done'), null);
  assert.equal(await refusalOf(() => Promise.reject(refusal)), refusal);
  await assert.rejects(
    refusalOf(() => Promise.reject(new TypeError('a fault'))),
    TypeError,
  );
});

test('the first hundred refusals are kept, with their values', () => {
  const refused: TaskRefusal[] = [];
  const problem = invalid('link.gone', 'It is gone.').withValues({ n: 3 });
  for (let count = 0; count < 102; count++) addRefusal(refused, `id${count}`, problem);
  assert.equal(refused.length, 100);
  assert.deepEqual(refused[99], { id: 'id99', code: 'link.gone', sentence: 'It is gone.', values: { n: 3 } });
});
