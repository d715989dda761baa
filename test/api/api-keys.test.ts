import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachDatabase, onOneEngine, testOnce } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { type RawReply, rawRequest } from '#test/kit/raw-requests.ts';
import { idOf, keyOf, newPerson } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const wrongKey = 'Wrong1Wrong2Wrong3Wrong';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const minuteMs = 60_000;

function withoutRequestId(reply: { status: number; text: string }): string {
  return `${reply.status} ${reply.text.replace(/"request_id":"[^"]+"/, '')}`;
}

onEachDatabase('calling with an API key', (start) => {
  const app = useApp(start, { environment: { WAYBILL_TRUST_PROXY: 'loopback' } });
  let alice: ApiClient;
  let lastAddress = 0;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  /** Each test uses its own address, so that wrong keys of one test do not rate-limit another. */
  const someAddress = () => `203.0.113.${++lastAddress}`;
  const callWith = (authorization: string | string[], address = someAddress()): Promise<RawReply> =>
    rawRequest(`${app.url}/account`, {
      headers: { accept: 'application/json', authorization, 'x-forwarded-for': address },
    });
  const refused = async (authorization: string | string[]) => {
    const reply = await callWith(authorization);
    assert.equal(reply.status, 401, String(authorization));
    assert.equal((reply.body as { code: string }).code, 'credentials.invalid');
    return reply;
  };

  testOnce('no key, a wrong key and a malformed header are the same 401', async () => {
    const key = alice.key!;
    const missing = await rawRequest(`${app.url}/account`, { headers: { accept: 'application/json' } });
    const answers = [missing];
    for (const header of [
      `Bearer ${wrongKey}`,
      basic(`${wrongKey}:x`),
      'Bearer',
      'Bearer ',
      'Basic',
      'Basic !!!',
      `Digest ${key}`,
      key,
      `Bearer ${key}x`,
      `Bearer ${key.slice(0, 21)}`,
      `Bearer ${key.toLowerCase()} ${key}`,
      basic(`x:${key}`),
      basic(` ${key}:x`),
      `Bearer ${'A'.repeat(5000)}`,
      `Bearer ${key}\u00ff`,
    ])
      answers.push(await refused(header));
    assert.equal(new Set(answers.map(withoutRequestId)).size, 1, 'the answers do not reveal the reason');
  });

  testOnce('two Authorization headers are refused, also when both hold the same right key', async () => {
    await refused([`Bearer ${alice.key}`, `Bearer ${alice.key}`]);
    await refused([`Bearer ${alice.key}`, `Bearer ${wrongKey}`]);
    await refused([`Bearer ${wrongKey}`, basic(`${alice.key}:x`)]);
  });

  testOnce('a key in the address or in a cookie is no key', async () => {
    const inQuery = await rawRequest(`${app.url}/account?api_key=${alice.key}`, {
      headers: { accept: 'application/json', cookie: `api_key=${alice.key}` },
    });
    assert.equal(inQuery.status, 401);
    const asSession = await rawRequest(`${app.url}/account`, {
      headers: { accept: 'application/json', cookie: `local-sid=${alice.key}` },
    });
    assert.equal(asSession.status, 403, 'a session needs its token, before it is read');
  });

  testOnce('Basic works with x, with an empty password, with any password and without a colon', async () => {
    for (const text of [`${alice.key}:x`, `${alice.key}:`, `${alice.key}:any: thing`, alice.key!])
      assert.equal((await callWith(basic(text))).status, 200, text);
  });

  test('Bearer works, and the scheme is case-insensitive', async () => {
    for (const header of [`Bearer ${alice.key}`, `bearer ${alice.key}`, `BEARER  ${alice.key}`])
      assert.equal((await callWith(header)).status, 200, header);
    assert.equal((await callWith(basic(`${alice.key}:x`).replace('Basic', 'bAsIc'))).status, 200);
  });

  testOnce('an API answer sets no cookie and no CORS header', async () => {
    const reply = await rawRequest(`${app.url}/account`, {
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${alice.key}`,
        origin: 'https://evil.example',
        cookie: 'local-sid=abc',
      },
    });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['set-cookie'], undefined);
    assert.deepEqual(
      Object.keys(reply.headers).filter((name) => name.startsWith('access-control')),
      [],
    );
  });

  testOnce('an expired key is refused from its expiry instant on', async () => {
    const group = await app.group('Short keys', { api_key_lifetime: 1 });
    const bob = await newPerson(app, 'bob', { group });
    app.clock.advance(24 * 60 * minuteMs - 1);
    await bob.expect(200, 'getAccount');
    app.clock.advance(1);
    await bob.refused(401, 'credentials.invalid', 'getAccount');
    const { body } = await app.admin.expect(200, 'getUser', { params: { id: idOf(bob) } });
    assert.equal((body as { user: { api_key: string } }).user.api_key, 'expired');
  });

  testOnce('a disabled person is refused on the next call, and accepted again when enabled', async () => {
    const carol = await newPerson(app, 'carol');
    const toggle = (disabled: boolean) =>
      app.admin.expect(200, 'changeUser', { params: { id: idOf(carol) }, body: { user: { disabled } } });
    await toggle(true);
    await carol.refused(401, 'credentials.invalid', 'getAccount');
    await toggle(false);
    await carol.expect(200, 'getAccount');
  });

  testOnce('the key of a deleted person stays invalid, also for a new account with the same address', async () => {
    const dave = await newPerson(app, 'dave');
    await app.admin.expect(200, 'deleteUser', { params: { id: idOf(dave) } });
    await dave.refused(401, 'credentials.invalid', 'getAccount');
    const { body } = await app.admin.expect(200, 'createUser', { body: { user: { email: dave.email } } });
    assert.notEqual((body as { user: { id: string } }).user.id, idOf(dave), 'ids are not used twice');
    await dave.refused(401, 'credentials.invalid', 'getAccount');
  });

  testOnce(
    'after twenty wrong keys in a minute, unknown keys of that network are refused for five minutes',
    async () => {
      const address = '198.51.100.7';
      for (let count = 0; count < 20; count++)
        assert.equal((await callWith(`Bearer ${wrongKey}`, address)).status, 401);
      const reply = await callWith(`Bearer ${wrongKey}`, address);
      assert.equal(reply.status, 429);
      assert.equal((reply.body as { code: string }).code, 'credentials.too_many');
      assert.equal(reply.headers['retry-after'], '300');
      assert.equal((await callWith(`Bearer ${wrongKey}`, '198.51.100.8')).status, 401, 'others are not touched');
      app.clock.advance(5 * minuteMs - 1);
      assert.equal((await callWith(`Bearer ${wrongKey}`, address)).status, 429);
      app.clock.advance(1);
      assert.equal((await callWith(`Bearer ${wrongKey}`, address)).status, 401);
    },
  );

  testOnce(
    'a valid key works whatever keys others in its network try, since a proxy gives all of them one address',
    async () => {
      const address = '198.51.100.9';
      for (let count = 0; count < 30; count++) {
        await callWith(`Bearer ${wrongKey}`, address);
        assert.equal((await callWith(`Bearer ${alice.key}`, address)).status, 200);
      }
    },
  );

  testOnce('wrong keys spread over more than a minute block nothing', async () => {
    const address = '198.51.100.20';
    for (let count = 0; count < 30; count++) {
      assert.equal((await callWith(`Bearer ${wrongKey}`, address)).status, 401);
      app.clock.advance(3200);
    }
  });

  test('all addresses of one IPv6 /64 share the count', async () => {
    for (let count = 0; count < 20; count++) await callWith(`Bearer ${wrongKey}`, `2001:db8:0:1::${count + 1}`);
    assert.equal((await callWith(`Bearer ${wrongKey}`, '2001:db8:0:1:ffff::1')).status, 429);
    assert.equal((await callWith(`Bearer ${wrongKey}`, '2001:db8:0:2::1')).status, 401);
  });

  testOnce('missing credentials do not count as wrong keys and never cause a rate limit', async () => {
    const address = '198.51.100.30';
    const headers = { accept: 'application/json', 'x-forwarded-for': address };
    for (let count = 0; count < 25; count++) await rawRequest(`${app.url}/account`, { headers });
    assert.equal((await callWith(`Bearer ${wrongKey}`, address)).status, 401);
  });
});

onOneEngine('the limit on calls of one key', (start) => {
  test('is the operator’s number a minute, for each key separately, and a refusal has Retry-After', async () => {
    const app = await start({ environment: { WAYBILL_API_RATE: '30' } });
    try {
      const alice = await newPerson(app, 'alice');
      const bob = await newPerson(app, 'bob');
      for (let count = 0; count < 30; count++) await alice.expect(200, 'getAccount');
      const reply = await alice.refused(429, 'request.too_many', 'getAccount');
      assert.equal(reply.headers.get('retry-after'), '2');
      await bob.expect(200, 'getAccount');
      app.clock.advance(2000);
      await alice.expect(200, 'getAccount');
      await alice.refused(429, 'request.too_many', 'getAccount');
    } finally {
      await app.close();
    }
  });
});

onOneEngine('the limit on calls of one session', (start) => {
  test('is the same as that of a key, over all sessions of a person, and for each person separately', async () => {
    const app = await start({ environment: { WAYBILL_API_RATE: '30' } });
    try {
      const password = 'grey otters under a paper moon';
      const alice = await newPerson(app, 'alice', { password });
      const bob = await newPerson(app, 'bob', { password });
      const [one, two] = [await signIn(app, alice.email, password), await signIn(app, alice.email, password)];
      for (let count = 0; count < 15; count++) {
        await one.expect(200, 'getAccount');
        await two.expect(200, 'getMe');
      }
      for (const session of [one, two]) {
        const reply = await session.refused(429, 'request.too_many', 'getAccount');
        assert.equal(reply.headers.get('retry-after'), '2');
      }
      await (await signIn(app, bob.email, password)).expect(200, 'getAccount');
      app.clock.advance(2000);
      await one.expect(200, 'getAccount');
      await two.refused(429, 'request.too_many', 'getAccount');
    } finally {
      await app.close();
    }
  });
});

onEachDatabase('reading a key back', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  let boss: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
  });

  const read = (client: ApiClient, email: string) => {
    app.clock.advance(minuteMs);
    return client.call('getApiKey', { query: { email } });
  };
  const keyRead = async (client: ApiClient, email: string): Promise<string> => {
    const reply = await read(client, email);
    assert.equal(reply.status, 200, reply.text);
    return (reply.body as { user: { api_key: string } }).user.api_key;
  };

  testOnce('without a key it is 401', async () => {
    await app.anonymous.refused(401, 'credentials.invalid', 'getApiKey', { query: { email: alice.email } });
  });

  testOnce('all callers but administrators get the same 403 for every address, including their own', async () => {
    const outsider = await newPerson(app, 'outsider', { group: 'external-users' });
    const answers = new Set<string>();
    for (const client of [alice, outsider]) {
      for (const email of [
        'root@example.com',
        'unknown@example.com',
        alice.email,
        outsider.email,
        'not an address',
        '',
      ])
        answers.add(withoutRequestId(await read(client, email)));
      answers.add(withoutRequestId(await client.call('getApiKey')));
    }
    assert.equal(answers.size, 1);
    assert.match([...answers][0]!, /^403 .*"admin.not_permitted"/);
  });

  testOnce('an administrator who names no person is refused with that reason', async () => {
    const reply = await boss.refused(422, 'user.no_email', 'getApiKey');
    assert.equal((reply.body as { field: string }).field, 'email');
  });

  testOnce(
    'unknown, higher-ranking, equal, disabled, expired and deleted people are the same 404 to an administrator',
    async () => {
      await newPerson(app, 'peer', { group: 'administrators' });
      await newPerson(app, 'chief', { group: 'system-administrators' });
      await newPerson(app, 'idle', { disabled: true });
      const gone = await newPerson(app, 'gone');
      await app.admin.expect(200, 'deleteUser', { params: { id: idOf(gone) } });
      const group = await app.group('Short keys', { api_key_lifetime: 1 });
      await newPerson(app, 'late', { group });
      app.clock.advance(25 * 60 * minuteMs);
      const answers = new Map<string, string>();
      for (const email of [
        'unknown@example.com',
        'root@example.com',
        'chief@example.com',
        'peer@example.com',
        'idle@example.com',
        'gone@example.com',
        'gone-example-com',
        'late@example.com',
        'root-example-com',
        'not an address',
        "x' or '1'='1",
      ])
        answers.set(email, withoutRequestId(await read(boss, email)));
      assert.equal(new Set(answers.values()).size, 1, JSON.stringify([...answers]));
      assert.match([...answers.values()][0]!, /^404 .*"user.not_found"/);
    },
  );

  test('a refused attempt adds no event, a granted one adds exactly one, committed before the answer', async () => {
    const events = () =>
      app.app.ctx.db.read.selectFrom('events').selectAll().where('action', '=', 'api_key.read').execute();
    const before = (await events()).length;
    await read(boss, 'root@example.com');
    await read(alice, alice.email);
    assert.equal((await events()).length, before);
    await keyRead(boss, alice.email);
    const added = (await events()).slice(before);
    assert.equal(added.length, 1);
    assert.equal(added[0]!.actor_id, idOf(boss));
    assert.equal(added[0]!.object_id, idOf(alice));
    assert.equal(added[0]!.remote_ip, '127.0.0.1');
    assert.ok(!JSON.stringify(added[0]).includes(alice.key!), 'the event does not hold the key');
  });

  testOnce('an administrator reads the keys of local and outside people, by address or by user id', async () => {
    const outsider = await newPerson(app, 'visitor', { group: 'external-users' });
    assert.equal(await keyRead(boss, alice.email), alice.key);
    assert.equal(await keyRead(boss, 'ALICE@Example.COM'), alice.key);
    assert.equal(await keyRead(boss, idOf(alice)), alice.key);
    assert.equal(await keyRead(boss, outsider.email), outsider.key);
  });

  testOnce('all who may call it may read their own key', async () => {
    assert.equal(await keyRead(boss, boss.email), boss.key);
    assert.equal(await keyRead(app.admin, app.admin.email), app.admin.key);
  });

  testOnce('a System Administrator reads the key of any person, and the key works', async () => {
    const other = await newPerson(app, 'second-root', { group: 'system-administrators' });
    for (const client of [alice, boss, other]) {
      const key = await keyRead(app.admin, client.email);
      await new ApiClient(app.url, key, client.email).expect(200, 'getAccount');
    }
  });

  testOnce('the answer must not be stored', async () => {
    const { headers } = await read(boss, alice.email);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  test('each administrator may read ten keys a minute, and refused attempts count', async () => {
    app.clock.advance(minuteMs);
    const readKey = (client: ApiClient, email: string) => client.call('getApiKey', { query: { email } });
    for (let count = 0; count < 5; count++) {
      assert.equal((await readKey(boss, alice.email)).status, 200);
      assert.equal((await readKey(boss, `guess${count}@example.com`)).status, 404);
    }
    const reply = await boss.refused(429, 'api_key.too_many', 'getApiKey', { query: { email: alice.email } });
    assert.equal(reply.headers.get('retry-after'), '60');
    assert.equal((await readKey(app.admin, alice.email)).status, 200, 'another administrator is not touched');
    app.clock.advance(minuteMs);
    assert.equal((await readKey(boss, alice.email)).status, 200);
  });

  test('that limit is shared by all processes, and survives a restart', async () => {
    app.clock.advance(minuteMs);
    for (let count = 0; count < 10; count++) await boss.expect(200, 'getApiKey', { query: { email: alice.email } });
    await app.restart();
    await boss.refused(429, 'api_key.too_many', 'getApiKey', { query: { email: alice.email } });
  });

  testOnce('no list and no answer about a person contains a key', async () => {
    const keys = [alice.key!, boss.key!, app.admin.key!];
    const answers = [
      await app.admin.expect(200, 'listUsers'),
      await app.admin.expect(200, 'getUser', { params: { id: idOf(alice) } }),
      await app.admin.expect(200, 'changeUser', { params: { id: idOf(alice) }, body: { user: { name: 'Alice' } } }),
      await app.admin.expect(200, 'createUser', { body: { user: { email: 'new@example.com' } } }),
      await app.admin.expect(200, 'listGroups'),
      await alice.expect(200, 'getAccount'),
    ];
    keys.push(await keyOf(app, 'new-example-com'));
    for (const { text } of answers) for (const key of keys) assert.ok(!text.includes(key));
    const { users } = answers[0]!.body as { users: { email: string; api_key: string }[] };
    assert.equal(users.find((user) => user.email === alice.email)!.api_key, 'set');
  });

  test('the database stores a keyed hash and a sealed copy, and never the key', async () => {
    const row = await app.app.ctx.db.read
      .selectFrom('api_keys')
      .selectAll()
      .where('user_id', '=', idOf(alice))
      .executeTakeFirstOrThrow();
    for (const value of [row.lookup, row.sealed, Buffer.from(row.id)])
      assert.ok(!value.includes(Buffer.from(alice.key!)));
    assert.throws(() => app.app.ctx.keys.openText('api-key', row.sealed, `${idOf(boss)}/${row.id}`));
  });
});

onEachDatabase('the operator’s choice of how keys are read back', (start) => {
  const app = useApp(start);

  const choose = async (apiKeyReadback: string) => {
    await app.app.ctx.db.write((tx) =>
      tx
        .updateTable('settings')
        .set((eb) => ({ document: JSON.stringify({ apiKeyReadback }), version: eb('version', '+', 1) }))
        .execute(),
    );
    await app.restart();
  };

  test('"off" answers 404 to all callers, "rotate" returns a new key and ends the old one', async () => {
    const alice = await newPerson(app, 'alice');
    await choose('off');
    await app.admin.refused(404, 'user.not_found', 'getApiKey', { query: { email: alice.email } });
    await choose('rotate');
    const { body } = await app.admin.expect(200, 'getApiKey', { query: { email: alice.email } });
    const fresh = (body as { user: { api_key: string } }).user.api_key;
    assert.notEqual(fresh, alice.key);
    await alice.refused(401, 'credentials.invalid', 'getAccount');
    await new ApiClient(app.url, fresh, alice.email).expect(200, 'getAccount');
    const ends = app.app.ctx.db.read.selectFrom('events').select('object_kind').where('action', '=', 'api_key.revoked');
    assert.deepEqual(await ends.where('owner_id', '=', idOf(alice)).execute(), [{ object_kind: 'api_key' }]);
  });
});
