import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { activeSpans, always, onSpans, overlapOf, type Span } from './spans.ts';

const span = (from: number, to: number): Span => ({ from, to });
const forever = Number.POSITIVE_INFINITY;

describe('the time in both', () => {
  it('is where they overlap, in order', () => {
    assert.deepEqual(overlapOf([span(0, 10), span(20, 30)], [span(5, 25)]), [span(5, 10), span(20, 25)]);
    assert.deepEqual(overlapOf([span(5, 25)], [span(20, 30), span(0, 10)]), [span(5, 10), span(20, 25)]);
    assert.deepEqual(overlapOf(always, [span(0, 1), span(3, 4)]), [span(0, 1), span(3, 4)]);
  });

  it('is nothing where one ends as the other begins', () => {
    assert.deepEqual(overlapOf([span(0, 10)], [span(10, 20)]), []);
    assert.deepEqual(overlapOf([span(0, 10)], []), []);
  });
});

describe('when something was on', () => {
  it('is between on and off, and until now after the last on', () => {
    const turns = [
      { at: 1, isOn: true },
      { at: 2, isOn: true },
      { at: 5, isOn: false },
      { at: 6, isOn: false },
      { at: 8, isOn: true },
    ];
    assert.deepEqual(onSpans(turns), [span(1, 5), span(8, forever)]);
  });

  it('is also before what was switched off first, and always when nothing was switched', () => {
    assert.deepEqual(onSpans([{ at: 4, isOn: false }]), [span(0, 4)]);
    assert.deepEqual(onSpans([]), [span(0, forever)]);
  });

  it('is at no time between an on and an off of the same instant', () => {
    const turns = [
      { at: 4, isOn: true },
      { at: 4, isOn: false },
    ];
    assert.deepEqual(onSpans(turns), []);
  });
});

describe('a life with a last day that was moved', () => {
  it('has a gap where it had ended before it was moved', () => {
    assert.deepEqual(activeSpans(0, [{ at: 20, endedAt: 10 }], 30), [span(0, 10), span(20, 30)]);
    assert.deepEqual(activeSpans(0, [{ at: 10, endedAt: 10 }], 30), [span(0, 10), span(10, 30)]);
  });

  it('has none if it was moved in time, or if the previous end is unknown', () => {
    assert.deepEqual(activeSpans(0, [{ at: 5, endedAt: 10 }], 30), [span(0, 30)]);
    assert.deepEqual(activeSpans(0, [{ at: 5, endedAt: null }], 30), [span(0, 30)]);
  });

  it('leaves out what lasted for no time', () => {
    assert.deepEqual(activeSpans(10, [{ at: 20, endedAt: 10 }], 20), []);
  });
});
