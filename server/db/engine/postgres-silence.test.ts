import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { DatabaseUnavailable } from './errors.ts';
import { SilenceWatch } from './postgres-silence.ts';

describe('a server that does not reply', () => {
  let watch: SilenceWatch;
  let greetings: PromiseWithResolvers<void>[];
  let abandoned: number;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval', 'Date'] });
    greetings = [];
    abandoned = 0;
    watch = new SilenceWatch(() => {
      const greeting = Promise.withResolvers<void>();
      greetings.push(greeting);
      return { heard: greeting.promise, abandon: () => void abandoned++ };
    });
  });
  afterEach(() => {
    watch.close();
    mock.timers.reset();
  });

  /** Lets time pass in a process that is not busy. */
  async function pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 250) {
      mock.timers.tick(250);
      await Promise.resolve().then(() => {});
    }
  }
  const never = () => new Promise<never>(() => {});
  function follow(promise: Promise<unknown>): { state: unknown } {
    const followed: { state: unknown } = { state: 'waits' };
    promise.then(
      () => Object.assign(followed, { state: 'replied' }),
      (error) => Object.assign(followed, { state: error }),
    );
    return followed;
  }

  test('is considered silent within five seconds without a greeting, and further statements are refused immediately', async () => {
    const first = follow(watch.ask(never));
    await pass(4_000);
    assert.ok(first.state instanceof DatabaseUnavailable);
    await assert.rejects(watch.ask(never), DatabaseUnavailable);
    await assert.rejects(
      watch.await(never, () => {}),
      DatabaseUnavailable,
    );
  });

  test('is used again as soon as it greets a connection', async () => {
    follow(watch.ask(never));
    await pass(4_000);
    await pass(6_000);
    greetings.at(-1)!.resolve();
    await pass(250);
    assert.equal(await watch.ask(async () => 'here'), 'here');
  });

  test('may take its time when it greets others, or refuses them', async () => {
    const long = follow(watch.ask(never));
    for (let second = 0; second < 20; second++) {
      await pass(1_000);
      if (second % 2 === 0) greetings.at(-1)?.resolve();
      else greetings.at(-1)?.reject(new Error('too many clients'));
    }
    assert.equal(long.state, 'waits');
  });

  test('is not probed while other statements get replies', async () => {
    follow(watch.ask(never));
    for (let second = 0; second < 10; second++) {
      await pass(500);
      await watch.ask(async () => 'here');
    }
    assert.equal(greetings.length, 0);
  });

  test('is not blamed when this process itself was too busy to listen', async () => {
    const waits = follow(watch.ask(never));
    for (let turn = 0; turn < 20; turn++) {
      mock.timers.tick(1_000);
      await Promise.resolve();
    }
    assert.equal(waits.state, 'waits');
  });

  test('an idle connection proves nothing, and one that comes too late is given back', async () => {
    const late = Promise.withResolvers<string>();
    const given: string[] = [];
    const waits = follow(watch.await(() => late.promise, given.push.bind(given)));
    for (let turn = 0; turn < 16; turn++) {
      await follow(watch.await(async () => 'idle', assert.fail));
      await pass(250);
    }
    assert.ok(waits.state instanceof DatabaseUnavailable);
    late.resolve('late');
    await pass(250);
    assert.deepEqual(given, ['late']);
  });
});
