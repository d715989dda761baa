import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holeIn } from './witness.ts';

test('the first number that is left out after a place is found, and none before it', () => {
  const bundle = [3, 4, 6, 7, 9, 10].map((seq) => Buffer.from(JSON.stringify({ seq })));
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((from) => holeIn(bundle, from)),
    [5, 5, 5, 8, 8, null],
  );
  assert.equal(holeIn(bundle.slice(0, 2), 0), null);
  assert.equal(holeIn(bundle.slice(0, 1), 0), null);
});
