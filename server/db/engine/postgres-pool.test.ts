// A server that has no connection left: the pool uses those that it has for a while, and asks again.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { createPatientPool } from './postgres-pool.ts';

const full = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });

function poolThat(answers: (Error | 'client')[], totalCount: number) {
  const options = { max: 10 };
  const seen: number[] = [];
  const connect = async () => {
    seen.push(options.max);
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { pool: { options, totalCount, connect } as unknown as pg.Pool, options, seen };
}

describe('a server without connections', () => {
  test('is asked again, for no more than we have, and for all of ours five seconds later', async (context) => {
    const { pool, options, seen } = poolThat([full, full, 'client'], 3);
    // The pause between two attempts is not mocked, because it belongs to another module.
    const timers: { callback: () => void; ms: number }[] = [];
    context.mock.method(globalThis, 'setTimeout', (callback: () => void, ms: number) => {
      const number = timers.push({ callback, ms });
      return { unref: () => number };
    });
    const { mock: cleared } = context.mock.method(globalThis, 'clearTimeout', () => {});
    assert.equal(await createPatientPool(pool)(), 'client');
    assert.deepEqual(seen, [10, 3, 3]);
    assert.equal(options.max, 3);
    assert.equal(timers.at(-1)!.ms, 5000);
    const first = cleared.calls.map((call) => call.arguments.at(0) as unknown);
    assert.deepEqual(first, [1], 'the five seconds begin anew with each refusal');
    timers.at(-1)!.callback();
    assert.equal(options.max, 10);
  });

  test('is asked for one where we have none', async () => {
    const { pool, options } = poolThat([full, 'client'], 0);
    await createPatientPool(pool)();
    assert.equal(options.max, 1);
  });

  test('is asked for ten seconds, no longer', async (context) => {
    const times = [0, 9999, 10_000];
    context.mock.method(performance, 'now', () => times.shift()!);
    const { pool, seen } = poolThat([full, full, 'client'], 3);
    await assert.rejects(createPatientPool(pool)(), full);
    assert.deepEqual(seen, [10, 3]);
  });

  test('is not asked again after another error', async () => {
    const { pool, options } = poolThat([new TypeError('a fault')], 3);
    await assert.rejects(createPatientPool(pool)(), TypeError);
    assert.equal(options.max, 10);
  });
});
