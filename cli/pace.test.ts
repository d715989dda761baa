import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFakeClock, runPending } from '../transfer/fake-clock.fixture.ts';
import { createPacer } from './pace.ts';

const { signal } = new AbortController();

/** How many of the `count` transfers of `bytes` have passed after each of the moments. */
async function passed(bytes: number, count: number, moments: readonly number[]): Promise<number[]> {
  const clock = createFakeClock();
  const pacer = createPacer(1000, clock);
  let done = 0;
  for (let started = 0; started < count; started += 1) void pacer.beforeSending(bytes, signal).then(() => (done += 1));
  await runPending();
  const counts: number[] = [];
  let elapsedMs = 0;
  for (const moment of moments) {
    await clock.advance(moment - elapsedMs);
    elapsedMs = moment;
    counts.push(done);
  }
  return counts;
}

describe('a limit of 1000 bytes per second', () => {
  test('holds for many small transfers that begin together', async () => {
    assert.deepEqual(await passed(10, 300, [0, 10, 500, 1000, 2000, 2990]), [1, 2, 51, 101, 201, 300]);
  });

  test('holds for large transfers', async () => {
    assert.deepEqual(await passed(1000, 4, [0, 999, 1000, 3000]), [1, 1, 2, 4]);
  });

  test('saves nothing up while nothing is sent', async () => {
    const clock = createFakeClock();
    const pacer = createPacer(1000, clock);
    await clock.advance(60_000);
    let done = 0;
    for (let started = 0; started < 3; started += 1) void pacer.beforeSending(1000, signal).then(() => (done += 1));
    await runPending();
    assert.equal(done, 1);
    await clock.advance(1000);
    assert.equal(done, 2);
  });

  test('makes a download wait for its own bytes, and what is sent wait for the download', async () => {
    const clock = createFakeClock();
    const pacer = createPacer(1000, clock);
    const events: string[] = [];
    void pacer.afterReceiving(500, signal).then(() => events.push('received'));
    void pacer.beforeSending(100, signal).then(() => events.push('sent'));
    void pacer.beforeSending(100, signal).then(() => events.push('sent later'));
    await clock.advance(499);
    assert.deepEqual(events, []);
    await clock.advance(1);
    assert.deepEqual(events, ['received', 'sent']);
    await clock.advance(100);
    assert.equal(events.length, 3);
  });

  test('ends the wait of a transfer that is given up', async () => {
    const clock = createFakeClock();
    const pacer = createPacer(1000, clock);
    const stopping = new AbortController();
    await pacer.beforeSending(1000, signal);
    const waiting = pacer.beforeSending(1000, stopping.signal);
    stopping.abort();
    await assert.rejects(waiting);
    assert.equal(clock.pending(), 0);
  });

  test('sends a tenth of a second at a time; without a limit, a quarter of a mebibyte', () => {
    const clock = createFakeClock();
    assert.equal(createPacer(1000, clock).portionBytes, 100);
    assert.equal(createPacer(1, clock).portionBytes, 1);
    assert.equal(createPacer(1e9, clock).portionBytes, 262_144);
    assert.equal(createPacer(null, clock).portionBytes, 262_144);
  });
});
