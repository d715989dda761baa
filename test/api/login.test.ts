import assert from 'node:assert/strict';
import { before, beforeEach, type TestContext, test } from 'node:test';
import { onEachDatabase, onOneEngine } from '#test/kit/app.ts';
import { ApiClient, type Reply } from '#test/kit/client.ts';
import { assertInside } from '#test/kit/outside.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'grey otters under a paper moon';
const minuteMs = 60_000;

function withoutRequestId(reply: Reply): string {
  return `${reply.status} ${reply.text.replace(/"request_id":"[^"]+"/, '')}`;
}

onEachDatabase('POST /login', (start) => {
  const app = useApp(start, { environment: { WAYBILL_TRUST_PROXY: 'loopback' } });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
  });
  beforeEach(() => app.clock.advance(60 * minuteMs));

  const login = (email: string, typed: string, address = '203.0.113.1') =>
    app.anonymous.call('login', {
      body: { user: { email, password: typed } },
      headers: { 'x-forwarded-for': address },
    });
  const wrong = async (email: string, typed: string, address?: string) => {
    const reply = await login(email, typed, address);
    assert.equal(reply.status, 401, reply.text);
    assert.equal((reply.body as { code: string }).code, 'login.wrong');
    return reply;
  };
  const right = async (email: string, typed: string, address?: string): Promise<string> => {
    const reply = await login(email, typed, address);
    assert.equal(reply.status, 200, reply.text);
    return (reply.body as { user: { api_key: string } }).user.api_key;
  };

  test('an unknown address, a wrong password, a disabled person and one without a password get the same answer', async () => {
    await newPerson(app, 'disabled', { password, disabled: true });
    await newPerson(app, 'keyless');
    const gone = await newPerson(app, 'gone', { password });
    await app.admin.expect(200, 'deleteUser', { params: { id: idOf(gone) } });
    const answers = new Set<string>();
    for (const [email, typed] of [
      ['unknown@example.com', password],
      ['alice@example.com', 'wrong password of hers'],
      ['alice@example.com', ''],
      ['alice@example.com', `${password} `],
      ['alice@example.com', password.toUpperCase()],
      ['disabled@example.com', password],
      ['keyless@example.com', ''],
      ['gone@example.com', password],
      ['gone-example-com', password],
      ['', ''],
      ['not an address', password],
    ] as const)
      answers.add(withoutRequestId(await wrong(email, typed)));
    assert.equal(answers.size, 1);
  });

  test('an API key is no password and a password is no key', async () => {
    await wrong(alice.email, alice.key!);
    await wrong(alice.key!, 'x');
    await new ApiClient(app.url, password, '').refused(401, 'credentials.invalid', 'getAccount');
  });

  test('an invalid body is refused with the field', async () => {
    await app.anonymous.refused(422, 'request.invalid', 'login', { body: {} });
    await app.anonymous.refused(422, 'request.invalid', 'login', { body: { user: { email: alice.email } } });
    const reply = await app.anonymous.refused(422, 'request.invalid', 'login', {
      body: { user: { email: ['a'], password: 5 } },
    });
    assert.equal((reply.body as { errors: string[] }).errors.length, 2);
    await app.anonymous.refused(415, 'request.not_json', 'login', {
      bytes: 'user=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  test('five failures in five minutes block the sign-in for fifteen, with the answer of a wrong password', async () => {
    const first = await wrong(alice.email, 'wrong 1');
    for (let count = 2; count <= 5; count++) await wrong(alice.email, `wrong ${count}`);
    assert.equal(withoutRequestId(await wrong(alice.email, password)), withoutRequestId(first));
    app.clock.advance(15 * minuteMs - 1);
    await wrong(alice.email, password);
    app.clock.advance(1);
    assert.equal(await right(alice.email, password), alice.key);
  });

  test('the sign-in is blocked for that account and that network only', async () => {
    await newPerson(app, 'bob', { password });
    for (let count = 0; count < 5; count++) await wrong(alice.email, 'wrong', '198.51.100.9');
    await wrong(alice.email, password, '198.51.100.9');
    await right('bob@example.com', password, '198.51.100.9');
    await right(alice.email, password, '198.51.100.10');
  });

  test('spellings of one name count together, and two names of one account count separately', async () => {
    for (let count = 0; count < 2; count++) await wrong(alice.email, 'wrong');
    for (let count = 0; count < 3; count++) await wrong(' ALICE@EXAMPLE.COM', 'wrong');
    await wrong(alice.email, password);
    await right(idOf(alice), password);
    await wrong(alice.email, password);
  });

  test('a success resets the failures before it; failures far apart never add up', async () => {
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 4; count++) await wrong(alice.email, 'wrong');
      await right(alice.email, password);
    }
    for (let count = 0; count < 8; count++) {
      await wrong(alice.email, 'wrong');
      app.clock.advance(2 * minuteMs);
    }
    await right(alice.email, password);
  });

  test('a restart forgets no failure', async () => {
    for (let count = 0; count < 5; count++) await wrong(alice.email, 'wrong');
    await app.restart();
    await wrong(alice.email, password);
  });

  test('only five of many concurrent passwords are checked', async (context) => {
    const { passwords } = app.app.ctx.keys;
    const checks = context.mock.method(passwords, 'verifyPassword');
    await Promise.all(Array.from({ length: 20 }, (_, count) => wrong(alice.email, `guess ${count}`)));
    assert.ok(checks.mock.callCount() <= 5, `${checks.mock.callCount()} passwords were checked`);
    await wrong(alice.email, password);
  });

  test('where a second step is required a password alone gets no key, and the answer says what to do', async () => {
    const group = await app.group('Two steps', { require_second_factor: 'required' });
    await newPerson(app, 'careful', { password, group });
    await wrong('careful@example.com', 'wrong');
    const reply = await login('careful@example.com', password);
    assert.equal(reply.status, 401);
    assert.equal((reply.body as { code: string }).code, 'login.second_factor');
    assert.ok(!/[A-Za-z0-9]{22}/.test(reply.text.replace(/"request_id":"[^"]+"/, '')));
  });

  test('the right password gives the key that works, by address or by user id', async () => {
    assert.equal(await right(alice.email, password), alice.key);
    assert.equal(await right('Alice@example.com', password), alice.key);
    const key = await right(idOf(alice), password);
    await new ApiClient(app.url, key, alice.email).expect(200, 'getAccount');
  });

  test('no credentials are needed, wrong ones do not matter, and no cookie is set', async () => {
    const reply = await new ApiClient(app.url, 'Wrong1Wrong2Wrong3Wrong', '').expect(200, 'login', {
      body: { user: { email: alice.email, password } },
    });
    assert.equal(reply.headers.get('set-cookie'), null);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
  });

  test('an expired key is replaced by a new one at sign-in', async () => {
    const group = await app.group('Short keys', { api_key_lifetime: 1 });
    const late = await newPerson(app, 'late', { password, group });
    app.clock.advance(25 * 60 * minuteMs);
    await late.refused(401, 'credentials.invalid', 'getAccount');
    const fresh = await right(late.email, password);
    assert.notEqual(fresh, late.key);
    await new ApiClient(app.url, fresh, late.email).expect(200, 'getAccount');
    await late.refused(401, 'credentials.invalid', 'getAccount');
  });

  test('a password changed by an administrator is valid immediately and the old one is not', async () => {
    const carol = await newPerson(app, 'carol', { password });
    const changed = 'another set of twelve plain words';
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(carol) }, body: { user: { password: changed } } });
    await wrong(carol.email, password);
    await app.anonymous.refused(401, 'login.password_change', 'login', {
      body: { user: { email: carol.email, password: changed } },
    });
  });

  test('a sign-in is recorded, without the password', async () => {
    await right(alice.email, password);
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .selectAll()
      .where('action', '=', 'user.logged_in')
      .where('object_id', '=', idOf(alice))
      .execute();
    assert.ok(events.length > 0);
    assert.equal(events.at(-1)!.remote_ip, '203.0.113.1');
    assert.ok(!JSON.stringify(events).includes(password));
  });
});

onOneEngine('POST /login to an account whose password is guessed from many networks', (start) => {
  const app = useApp(start, { environment: { WAYBILL_TRUST_PROXY: 'loopback' } });

  /** Signs in once from each network; `waits` has one entry for each sign-in that was delayed. */
  async function guessedAt(t: TestContext, name: string) {
    assertInside(); // the test replaces timers of the service
    const { email } = await newPerson(app, name, { password });
    const waits: number[] = [];
    const realTimeout = globalThis.setTimeout;
    const skipping = (work: () => void, ms?: number) => {
      if (ms === 10_000) waits.push(ms);
      return realTimeout(work, ms === 10_000 ? 0 : ms);
    };
    t.mock.method(globalThis, 'setTimeout', skipping as typeof setTimeout);
    const login = async (typed: string, number: number) => {
      const headers = { 'x-forwarded-for': `203.0.113.${number}` };
      return (await app.anonymous.call('login', { body: { user: { email, password: typed } }, headers })).status;
    };
    return { login, waits };
  }

  test('takes ten seconds longer from the fiftieth wrong password in an hour on, and accepts the owner', async (t) => {
    const { login, waits } = await guessedAt(t, 'alice');
    for (let number = 1; number <= 50; number++) assert.equal(await login('wrong', number), 401);
    assert.deepEqual(waits, []);
    assert.equal(await login('wrong', 51), 401);
    assert.equal(await login(password, 52), 200);
    assert.deepEqual(waits, [10_000, 10_000]);
    app.clock.advance(60 * minuteMs - 1);
    assert.equal(await login(password, 53), 200);
    assert.equal(waits.length, 3);
    app.clock.advance(1);
    assert.equal(await login(password, 54), 200);
    assert.equal(waits.length, 3, 'no delay an hour later');
  });

  test('counts wrong passwords for an hour from the first, and then anew', async (t) => {
    const { login, waits } = await guessedAt(t, 'bert');
    for (let number = 1; number <= 49; number++) assert.equal(await login('wrong', number), 401);
    app.clock.advance(60 * minuteMs);
    for (let number = 50; number <= 98; number++) assert.equal(await login('wrong', number), 401);
    app.clock.advance(60 * minuteMs - 1);
    assert.equal(await login('wrong', 99), 401);
    assert.deepEqual(waits, []);
    assert.equal(await login(password, 100), 200);
    assert.deepEqual(waits, [10_000]);
  });
});
