import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryLinkPassword } from '#server/actions/file-links/passwords.ts';
import { decidePairing, fetchPairedKey, findPairing, startPairing } from '#server/actions/pairings/pairings.ts';
import { withPassword } from '#server/actions/sessions/sign-in.ts';
import { type Caller, systemCaller } from '#server/domain/caller.ts';
import { Problem } from '#server/domain/problem.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import { newNetwork } from '#test/kit/distant-browser.ts';
import { newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const password = 'seven lamps under a quiet river';

onOneEngine('attempts are limited', (start) => {
  const app = useApp(start);
  const signIn = (caller: Caller, login: string, typed: string) =>
    withPassword(app.app.ctx, caller, { login, password: typed }, async () => {});

  async function assertLimit(
    { most, windowMs, closedMs }: { most: number; windowMs: number; closedMs: number },
    attempt: () => Promise<'wrong' | 'closed'>,
  ): Promise<void> {
    const expect = async (count: number, outcome: 'wrong' | 'closed') => {
      for (let number = 1; number <= count; number++) assert.equal(await attempt(), outcome, `attempt ${number}`);
    };
    await expect(most - 1, 'wrong');
    app.clock.advance(windowMs - 1);
    await expect(1, 'wrong');
    await expect(2, 'closed');
    app.clock.advance(closedMs - 1);
    await expect(1, 'closed');
    app.clock.advance(1);
    await expect(1, 'wrong');
    app.clock.advance(windowMs);
    await expect(most, 'wrong');
    await expect(1, 'closed');
  }

  test('with the password entered again: 5 in 5 minutes, blocked for 15, and the refusal says for how long', async () => {
    const ann = await newPerson(app, 'ann', { password });
    const change = () =>
      ann.call('changePassword', { body: { current: 'not this one at all', new: 'four stones on a shelf' } });
    await assertLimit({ most: 5, windowMs: 5 * minuteMs, closedMs: 15 * minuteMs }, async () =>
      (await change()).status === 422 ? 'wrong' : 'closed',
    );
    const closed = await change();
    assert.equal(closed.status, 429);
    assert.equal(closed.headers.get('retry-after'), '900');
    assert.match(closed.text, /Wait 15 minutes, then try again/);
    app.clock.advance(14 * minuteMs + 30_000);
    const nearly = await change();
    assert.equal(nearly.headers.get('retry-after'), '30');
    assert.match(nearly.text, /Wait a minute, then try again/);
  });

  test('and the right password entered again resets the count of wrong ones', async () => {
    const gil = await newPerson(app, 'gil', { password });
    const change = (current: string) => ({ body: { current, new: password } });
    for (let round = 0; round < 2; round++) {
      for (let attempt = 0; attempt < 4; attempt++)
        await gil.refused(422, 'password.wrong', 'changePassword', change('not this one at all'));
      await gil.refused(422, 'password.same', 'changePassword', change(password));
    }
  });

  test('with the code of an authenticator app: 5 in 5 minutes, blocked for 5', async () => {
    const bea = await newPerson(app, 'bea', { password });
    await assertLimit({ most: 5, windowMs: 5 * minuteMs, closedMs: 5 * minuteMs }, async () =>
      (await bea.call('confirmTotp', { body: { code: '123456' } })).status === 422 ? 'wrong' : 'closed',
    );
  });

  /** An unknown caller of this network. */
  const from = (address: string): Caller => ({ ...systemCaller, from: { address, agent: '', requestId: '' } });
  /** The result of an attempt: refused because there were too many, or anything else. */
  const outcomeOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => 'wrong' as const,
      (error: unknown) => {
        assert.ok(error instanceof Problem);
        return error.kind === 'rate_limited' ? ('closed' as const) : ('wrong' as const);
      },
    );

  test('with the password at the sign-in: 5 in 5 minutes from one network, blocked for 15, whatever is entered', async () => {
    const { email } = await newPerson(app, 'fay', { password });
    const attempt = async (typed: string) =>
      signIn(from('198.51.100.4'), email, typed).then(
        () => 'in' as const,
        () => 'out' as const,
      );
    const window = async () => {
      for (let number = 1; number <= 5; number++) assert.equal(await attempt('wrong'), 'out');
    };
    await window();
    app.clock.advance(15 * minuteMs - 1);
    assert.equal(await attempt(password), 'out');
    app.clock.advance(1);
    assert.equal(await attempt(password), 'in');
    for (let number = 1; number <= 4; number++) assert.equal(await attempt('wrong'), 'out');
    app.clock.advance(5 * minuteMs - 1);
    assert.equal(await attempt('wrong'), 'out');
    assert.equal(await attempt(password), 'out', 'the fifth in five minutes');
    app.clock.advance(15 * minuteMs);
    for (let number = 1; number <= 4; number++) assert.equal(await attempt('wrong'), 'out');
    app.clock.advance(5 * minuteMs);
    assert.equal(await attempt('wrong'), 'out');
    assert.equal(await attempt(password), 'in', 'four of them are forgotten');
  });

  test('with the password at the sign-in from all networks: from the 50th in an hour on, each waits ten seconds', async (context) => {
    const { email } = await newPerson(app, 'gus', { password });
    const waits: number[] = [];
    const { setTimeout: realTimeout } = globalThis;
    context.mock.method(globalThis, 'setTimeout', (callback: () => void, ms: number, ...more: never[]) => {
      // Pauses and time limits of other parts are shorter or longer.
      if (ms < 10_000 || ms >= 30_000) return realTimeout(callback, ms, ...more);
      waits.push(ms);
      return realTimeout(callback, 0);
    });
    const fail = () => assert.rejects(signIn(from(newNetwork()), email, 'wrong'));
    const waitsOf = async () => {
      waits.length = 0;
      await signIn(from(newNetwork()), email, password);
      return waits;
    };
    for (let number = 1; number <= 49; number++) await fail();
    assert.deepEqual(await waitsOf(), []);
    await fail();
    assert.deepEqual(await waitsOf(), [10_000]);
    app.clock.advance(60 * minuteMs - 1);
    assert.deepEqual(await waitsOf(), [10_000]);
    app.clock.advance(1);
    assert.deepEqual(await waitsOf(), []);
  });

  test('with the password of a link: 10 in 15 minutes from one network, blocked for 15', async () => {
    const { linkId } = await share(await newPerson(app, 'cleo'), { link: { password } });
    await assertLimit({ most: 10, windowMs: 15 * minuteMs, closedMs: 15 * minuteMs }, () =>
      outcomeOf(tryLinkPassword(app.app.ctx, from('198.51.100.1'), linkId, 'wrong')),
    );
  });

  test('and a right password of a link resets the count of wrong ones', async () => {
    const { linkId } = await share(await newPerson(app, 'bob'), { link: { password } });
    const attempt = (typed: string) => tryLinkPassword(app.app.ctx, from('198.51.100.4'), linkId, typed);
    for (const round of ['first', 'second']) {
      for (let left = 9; left > 0; left--)
        assert.deepEqual(await attempt('wrong'), { isRight: false, attemptsLeft: left }, round);
      assert.equal((await attempt(password)).isRight, true, round);
    }
  });

  test('with the password of a link from all networks together: 100 in an hour, blocked for an hour', async () => {
    const dana = await newPerson(app, 'dana', { group: await app.group('Patient', { filelink_max_expiration: 365 }) });
    const { linkId } = await share(dana, { link: { password } });
    await assertLimit({ most: 100, windowMs: 60 * minuteMs, closedMs: 60 * minuteMs }, () =>
      outcomeOf(tryLinkPassword(app.app.ctx, from(newNetwork()), linkId, 'wrong')),
    );
  });

  test('and visitors with the right password of a link do not count, however many they are', async () => {
    const { linkId } = await share(await newPerson(app, 'fred'), { link: { password } });
    for (let visitor = 1; visitor <= 101; visitor++)
      assert.ok((await tryLinkPassword(app.app.ctx, from(newNetwork()), linkId, password)).isRight, String(visitor));
  });

  test('with programs that ask to be signed in: 30 in 10 minutes from one network, blocked for 10', async () => {
    await assertLimit({ most: 30, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs }, () =>
      outcomeOf(startPairing(app.app.ctx, from('198.51.100.2'), 'backup of the harbour')),
    );
  });

  test('with the code that a program shows: 10 in 10 minutes for one person, blocked for 10', async () => {
    const eve = await newPerson(app, 'eve');
    const caller = await callerFor(app, eve);
    await assertLimit({ most: 10, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs }, () =>
      outcomeOf(findPairing(app.app.ctx, caller, 'BCDF-GHJK')),
    );
  });

  test('with answers to such codes, which count together with codes that are looked up', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(app, await newPerson(app, 'ida'));
    const { code } = await startPairing(ctx, from('198.51.100.6'), 'backup of the harbour');
    const guess = (isAllowed: boolean) => outcomeOf(decidePairing(ctx, caller, { code: 'BCDF-GHJK', isAllowed }));
    const limit = { most: 10, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs };
    let guesses = 0;
    await assertLimit(limit, () => guess(guesses++ % 2 === 0));
    assert.equal(await outcomeOf(findPairing(ctx, caller, code)), 'closed');
    await assert.rejects(decidePairing(ctx, caller, { code, isAllowed: true }), { kind: 'rate_limited' });
  });

  test('and the right code of a program can be looked up without limit', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(app, await newPerson(app, 'hal'));
    const { code } = await startPairing(ctx, from('198.51.100.5'), 'backup of the harbour');
    for (let count = 1; count <= 11; count++) assert.ok((await findPairing(ctx, caller, code)) !== null, String(count));
  });

  test('with the secret that a program fetches its key with: 60 in 10 minutes from one network, blocked for 10', async () => {
    await assertLimit({ most: 60, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs }, () =>
      outcomeOf(fetchPairedKey(app.app.ctx, from('198.51.100.3'), 'no such program')),
    );
  });
});
