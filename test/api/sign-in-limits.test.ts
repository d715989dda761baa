import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { TOTP } from 'otpauth';
import { confirmOwnTotp, requirePassword } from '#server/actions/account/security.ts';
import { offerTotp } from '#server/actions/account/totp.ts';
import { requestReset } from '#server/actions/sessions/one-time-links.ts';
import { passSecondStep, signInWithPassword } from '#server/actions/sessions/sessions.ts';
import { withPassword } from '#server/actions/sessions/sign-in.ts';
import { type Caller, systemCaller } from '#server/domain/caller.ts';
import { Problem } from '#server/domain/problem.ts';
import { TooBusy } from '#server/lib/gate.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import { newNetwork } from '#test/kit/distant-browser.ts';
import { until } from '#test/kit/eventually.ts';
import { statementsOf } from '#test/kit/queries.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const password = 'seven lamps under a quiet river';

/** Queries that the process makes on its own schedule. */
const ofTheProcess = /"processes"|"jobs"|^select .* from "events"/;

onEachDatabase('limits of sign-in', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  beforeEach(() => app.clock.advance(60 * minuteMs));

  const from = (address: string): Caller => ({ ...systemCaller, from: { address, agent: '', requestId: '' } });
  const enter = (address: string, login: string, typed: string) =>
    signInWithPassword(app.app.ctx, from(address), { login, password: typed, keep: false });
  const signIn = (address: string, login: string, typed: string): Promise<'in' | 'out'> =>
    enter(address, login, typed).then(
      () => 'in',
      (error: unknown) => {
        assert.ok(error instanceof Problem && error.code === 'login.wrong');
        return 'out';
      },
    );
  const fail = async (times: number, address: () => string, login: (time: number) => string) => {
    for (let time = 0; time < times; time++) assert.equal(await signIn(address(), login(time), 'wrong'), 'out');
  };
  const failuresOf = async (userId: string) => {
    const { read } = app.app.ctx.db;
    const events = await read.selectFrom('events').select('action').where('owner_id', '=', userId).execute();
    return events.filter(({ action }) => action.startsWith('user.sign_in_'));
  };
  const counters = () => app.app.ctx.db.read.selectFrom('attempts').selectAll().orderBy('key').execute();
  /** The delays of answers, which the test skips. */
  const delaysIn = (context: TestContext): number[] => {
    const delays: number[] = [];
    const { setTimeout: realTimeout } = globalThis;
    context.mock.method(globalThis, 'setTimeout', (callback: () => void, ms: number, ...more: never[]) => {
      if (ms !== 10_000) return realTimeout(callback, ms, ...more);
      delays.push(ms);
      return realTimeout(callback, 0);
    });
    return delays;
  };

  test('an entered name never counts for another limit', async () => {
    const ann = await newPerson(app, 'ann', { password });
    for (const name of [`${idOf(ann)}:192.0.2.1`, `${ann.email}:192.0.2.1`, `${ann.email}","192.0.2.1`, `["signIn"`])
      await fail(
        6,
        () => '192.0.2.9',
        () => name,
      );
    assert.equal(await signIn('192.0.2.1', idOf(ann), password), 'in');
    assert.equal(await signIn('192.0.2.1', ann.email, password), 'in');
  });

  test('counters contain nothing that was entered', async () => {
    await fail(1, newNetwork, () => 'my-secret-password');
    await fail(1, newNetwork, () => 'someone@elsewhere.example');
    const rows = await counters();
    assert.ok(rows.length > 0);
    assert.doesNotMatch(JSON.stringify(rows), /secret|elsewhere/);
    assert.ok(rows.every(({ key }) => /^[\w-]{43}$/.test(key)));
  });

  test('an existing and an unknown name lead to the same statements, until they are blocked and after', async () => {
    const { ctx } = app.app;
    const active = await newPerson(app, 'bea', { password });
    const disabled = await newPerson(app, 'ben', { password });
    await app.admin.expect(200, 'changeUser', { params: { id: disabled.email }, body: { user: { disabled: true } } });
    const keyless = await newPerson(app, 'bob');
    /** The statements of each of seven wrong passwords until the answer; the event comes after it. */
    const statementsFor = async (name: string, userId: string | null) => {
      const address = newNetwork();
      const asked: string[][] = [];
      for (let attempt = 1; attempt <= 7; attempt++) {
        await statementsOf(app, async (counted) => {
          await assert.rejects(withPassword(ctx, from(address), { login: name, password: 'x' }, async () => {}));
          asked.push(counted.statements.filter((statement) => !ofTheProcess.test(statement)));
        });
        const events = Math.min(attempt, 5) + (attempt >= 5 ? 1 : 0);
        if (userId !== null) await until(async () => (await failuresOf(userId)).length === events);
      }
      return asked;
    };
    const expected = await statementsFor('unknown@example.com', null);
    assert.ok(expected.every((statements) => statements.length > 2));
    for (const person of [active, disabled, keyless])
      assert.deepEqual(await statementsFor(person.email, idOf(person)), expected, person.email);
    const byId = await newPerson(app, 'bud', { password });
    assert.deepEqual(await statementsFor(idOf(byId), idOf(byId)), await statementsFor('unknown-example-com', null));
  });

  test('an unknown name costs a password check each time, also beyond the limit', async (context) => {
    const cat = await newPerson(app, 'cat', { password });
    const { passwords } = app.app.ctx.keys;
    const work: string[] = [];
    for (const method of ['verifyPassword', 'verifyNothing'] as const) {
      const real = passwords[method] as (...given: string[]) => Promise<never>;
      context.mock.method(passwords, method, (...given: string[]) => {
        work.push(given.at(-1)!);
        return real(...given);
      });
    }
    for (const login of [cat.email, 'unknown@example.com']) {
      work.length = 0;
      const address = newNetwork();
      await fail(
        7,
        () => address,
        () => login,
      );
      assert.deepEqual(work, Array(7).fill(address), login);
    }
  });

  test('a failure at an account is an event all the same', async () => {
    const dan = await newPerson(app, 'dan', { password });
    const address = newNetwork();
    await fail(
      7,
      () => address,
      () => dan.email,
    );
    await until(async () => (await failuresOf(idOf(dan))).length === 6);
    assert.equal((await failuresOf(idOf(dan))).filter(({ action }) => action === 'user.sign_in_locked').length, 1);
  });

  test('every request for a new password takes 200 ms or more, for existing and unknown addresses', async () => {
    const { ctx } = app.app;
    const eve = await newPerson(app, 'eve', { password });
    for (const address of [eve.email, 'unknown@example.com']) {
      const begunAt = performance.now();
      await requestReset(ctx, from(newNetwork()), address);
      assert.ok(performance.now() - begunAt >= 199, address);
    }
  });

  test('attempts against an exceeded limit are not counted', async (context) => {
    const delays = delaysIn(context);
    const fay = await newPerson(app, 'fay', { password });
    const address = newNetwork();
    await fail(
      5,
      () => address,
      () => fay.email,
    );
    app.clock.advance(14 * minuteMs);
    const before = await counters();
    await fail(
      6,
      () => address,
      () => fay.email,
    );
    assert.deepEqual(await counters(), before);
    assert.equal(await signIn(newNetwork(), fay.email, password), 'in');
    app.clock.advance(minuteMs);
    assert.equal(await signIn(address, fay.email, password), 'in');
    assert.deepEqual(delays, []);
  });

  test('an attempt whose password was not checked, because too many wait, is not counted', async (context) => {
    const gil = await newPerson(app, 'gil', { password });
    const before = await counters();
    const { passwords } = app.app.ctx.keys;
    for (const method of ['verifyPassword', 'verifyNothing'] as const)
      context.mock.method(passwords, method, () => Promise.reject(new TooBusy()));
    for (const login of [gil.email, 'another-unknown@example.com'])
      await assert.rejects(enter(newNetwork(), login, password), TooBusy);
    assert.deepEqual(await counters(), before);
  });

  test('of many names tried from one network, 30 in 15 minutes are checked, and the rest wait 15 minutes', async () => {
    const hal = await newPerson(app, 'hal', { password });
    const address = newNetwork();
    await fail(
      29,
      () => address,
      (time) => `name${time}@example.com`,
    );
    assert.equal(await signIn(address, hal.email, password), 'in', 'the thirtieth, which was right');
    await fail(
      1,
      () => address,
      () => 'one-more@example.com',
    );
    assert.equal(await signIn(address, hal.email, password), 'out');
    assert.equal(await signIn(newNetwork(), hal.email, password), 'in');
    app.clock.advance(15 * minuteMs - 1);
    assert.equal(await signIn(address, hal.email, password), 'out');
    app.clock.advance(1);
    assert.equal(await signIn(address, hal.email, password), 'in');
  });

  test('of 60 names tried concurrently from one network, 30 are checked', async (context) => {
    const people: string[] = [];
    for (let number = 1; number <= 31; number++)
      people.push((await newPerson(app, `many${number}`, { password })).email);
    const checks = context.mock.method(app.app.ctx.keys.passwords, 'verifyPassword');
    const address = newNetwork();
    const names = [...people, ...Array.from({ length: 29 }, (_, number) => `unknown${number}@example.com`)];
    await Promise.all(names.map((name) => signIn(address, name, 'summer in the city')));
    assert.ok(checks.mock.callCount() <= 30, `${checks.mock.callCount()}`);
    assert.equal(await signIn(address, people[0]!, password), 'out');
  });

  test('wrong passwords before the right one do not count for the network', async () => {
    const address = newNetwork();
    for (let number = 1; number <= 10; number++) {
      const { email } = await newPerson(app, `typist${number}`, { password });
      await fail(
        4,
        () => address,
        () => email,
      );
      assert.equal(await signIn(address, email, password), 'in');
    }
  });

  test('guesses from other networks never delay the right password where the person signed in within 30 days', async (context) => {
    const delays = delaysIn(context);
    const ida = await newPerson(app, 'ida', { password });
    const home = newNetwork();
    assert.equal(await signIn(home, ida.email, password), 'in');
    app.clock.advance(30 * dayMs - 60 * minuteMs);
    await fail(51, newNetwork, () => ida.email);
    assert.equal(delays.length, 1);
    delays.length = 0;
    assert.equal(await signIn(home, ida.email, password), 'in');
    assert.equal(await signIn(home, idOf(ida), password), 'in');
    assert.deepEqual(delays, []);
    assert.equal(await signIn(home, ida.email, 'wrong'), 'out');
    assert.deepEqual(delays, [10_000], 'a wrong one is delayed everywhere');
    assert.equal(await signIn(newNetwork(), ida.email, password), 'in');
    assert.deepEqual(delays, [10_000, 10_000]);
  });

  test('a network is known for 30 days after a sign-in, and not longer', async (context) => {
    const delays = delaysIn(context);
    const jon = await newPerson(app, 'jon', { password });
    const home = newNetwork();
    assert.equal(await signIn(home, jon.email, password), 'in');
    app.clock.advance(30 * dayMs);
    await fail(50, newNetwork, () => jon.email);
    assert.equal(await signIn(home, jon.email, password), 'in');
    assert.deepEqual(delays, [10_000]);
    assert.equal(await signIn(home, jon.email, password), 'in');
    assert.deepEqual(delays, [10_000]);
  });

  test('the latest 50 networks of a person are stored, as hashes that differ from person to person', async () => {
    const [kim, kai] = [await newPerson(app, 'kim', { password }), await newPerson(app, 'kai', { password })];
    const stored = (userId: string) =>
      app.app.ctx.db.read
        .selectFrom('sign_in_networks')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('last_at')
        .execute();
    assert.equal(await signIn('192.0.2.70', kim.email, password), 'in');
    assert.equal(await signIn('192.0.2.70', kai.email, password), 'in');
    const [[first], [other]] = [await stored(idOf(kim)), await stored(idOf(kai))];
    assert.notDeepEqual(first!.network_hash, other!.network_hash);
    for (let number = 1; number <= 50; number++) {
      app.clock.advance(1);
      assert.equal(await signIn(newNetwork(), kim.email, password), 'in');
    }
    const rows = await stored(idOf(kim));
    assert.equal(rows.length, 50);
    assert.ok(rows.every(({ last_at }) => last_at > first!.last_at));
    assert.equal((await stored(idOf(kai))).length, 1);
  });

  test('a password alone does not make a network known where a second step is required, and codes tried elsewhere block nothing at home', async () => {
    const { ctx } = app.app;
    const liv = await newPerson(app, 'liv', { password });
    const caller = await callerFor(app, liv);
    const offered = { ...caller, policy: { ...caller.policy, require_second_factor: 'offered' } } as const;
    const { secret } = await offerTotp(ctx, offered);
    const codeNow = () => new TOTP({ secret }).generate({ timestamp: ctx.clock.now() });
    await confirmOwnTotp(ctx, offered, codeNow());
    const home = newNetwork();
    const secondStep = async (address: string, code: () => string) => {
      const { token: pendingToken } = await enter(address, liv.email, password);
      return passSecondStep(ctx, from(address), { pendingToken, code: code(), keep: false });
    };
    const known = () =>
      ctx.db.read.selectFrom('sign_in_networks').select('last_at').where('user_id', '=', idOf(liv)).execute();
    assert.equal(await secondStep(home, () => '000000'), null);
    assert.deepEqual(await known(), []);
    app.clock.advance(10 * minuteMs);
    assert.ok((await secondStep(home, codeNow)) !== null);
    assert.equal((await known()).length, 1);
    for (let attempt = 1; attempt <= 5; attempt++) assert.equal(await secondStep(newNetwork(), () => '000000'), null);
    await assert.rejects(
      secondStep(newNetwork(), () => '000000'),
      { kind: 'rate_limited' },
    );
    app.clock.advance(minuteMs);
    assert.ok((await secondStep(home, codeNow)) !== null);
    for (let attempt = 1; attempt <= 5; attempt++) assert.equal(await secondStep(home, () => '000000'), null);
    await assert.rejects(
      secondStep(home, () => '000000'),
      { kind: 'rate_limited' },
    );
  });

  test('the password entered again elsewhere blocks nothing at home', async () => {
    const { ctx } = app.app;
    const mia = await newPerson(app, 'mia', { password });
    const home = newNetwork();
    assert.equal(await signIn(home, mia.email, password), 'in');
    const caller = await callerFor(app, mia);
    const again = (address: string, typed: string) =>
      requirePassword(ctx, { ...caller, from: from(address).from }, typed, 'password');
    for (let attempt = 1; attempt <= 5; attempt++)
      await assert.rejects(again(newNetwork(), 'wrong'), { code: 'password.wrong' });
    await assert.rejects(again(newNetwork(), password), { kind: 'rate_limited' });
    assert.equal((await again(home, password)).id, idOf(mia));
  });
});
