import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fullAt } from './storage-forecast.ts';

const day = 86_400_000;
const at = (days: number, bytes: number) => ({ at: days * day, bytes });

describe('the day a store is full', () => {
  it('is where the straight line through all days reaches the total', () => {
    assert.equal(fullAt([at(0, 0), at(1, 10), at(2, 20)], 50), 5 * day);
    const calm = Array.from({ length: 30 }, (_, days) => at(days, days * 10));
    assert.ok(fullAt([...calm, at(30, 340)], 1000)! > 80 * day);
  });

  it('is never for one that does not grow, is known for less than a day, or fills up in more than ten years', () => {
    assert.equal(fullAt([], 50), null);
    assert.equal(fullAt([at(0, 10)], 50), null);
    assert.equal(fullAt([at(0, 10), at(0.5, 20)], 50), null);
    assert.equal(fullAt([at(0, 20), at(5, 20)], 50), null);
    assert.equal(fullAt([at(0, 20), at(5, 10)], 50), null);
    assert.equal(fullAt([at(0, 60), at(5, 60)], 50), null, 'also of one that is full and does not grow');
    assert.equal(fullAt([at(0, 0), at(1, 1)], 10_000), null);
  });

  it('is known from one day on, and up to ten years ahead', () => {
    assert.equal(fullAt([at(0, 0), at(1, 10)], 50), 5 * day);
    assert.equal(fullAt([at(0, 0), at(1, 1)], 3651), 3651 * day);
    assert.equal(fullAt([at(0, 0), at(1, 1)], 3652), null);
  });

  it('is today for one that is full already', () => {
    assert.equal(fullAt([at(0, 40), at(2, 60)], 50), 2 * day);
  });
});
