import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { completeSetup } from '#server/actions/setup/setup.ts';
import { prepare, withInstallation } from '#server/app.ts';
import { showSetupToken } from '#server/commands/setup-token.ts';
import { type Config, readConfig } from '#server/config.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { manualClock } from '#server/lib/clock.ts';
import { onEachDatabase, onOneEngine, type TestApp, testStart } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { startWithStore } from '#test/kit/damage.ts';
import { everywhere } from '#test/kit/outside.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { Visitor } from '#test/kit/visitor.ts';

const minuteMs = 60_000;
const form = {
  name: 'Ada Admin',
  email: 'ada@example.com',
  password: 'quiet river under seven lamps',
  organisation: 'Example Org',
};

/** Output of `waybill-server setup-token` for programs. */
async function outputOf({ app }: TestApp, config: Pick<Config, 'dataDir' | 'setupToken'>): Promise<string> {
  let output = '';
  const out = (text: string) => {
    output += text;
  };
  await showSetupToken(app.ctx, config, { out, err: () => {}, readSecret: async () => '' });
  return output;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

onEachDatabase('a server that waits for its setup', (_start, engine) => {
  let app: TestApp;
  let tokenPath: string;
  let token: string;
  before(async () => {
    const started = await startWithStore(engine, {
      isSetUp: false,
      environment: { WAYBILL_TRUST_PROXY: 'loopback' },
    });
    app = started.app;
    tokenPath = join(started.store.WAYBILL_DATA_DIR!, 'setup-token');
    token = (await readFile(tokenPath, 'utf8')).trim();
  });
  after(() => app.close());

  /** Skips the step about mail. */
  const submit = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const visitor = new Visitor(app.url);
    const reply = await visitor.submit('/setup', fields, { 'sec-fetch-site': 'same-origin', ...headers });
    return reply.status === 200 ? visitor.get('/setup/done') : reply;
  };
  const people = () => app.app.ctx.db.read.selectFrom('users').selectAll().execute();

  test('keeps its token in a file that only the operator can read', async () => {
    assert.match(token, /^[A-Za-z0-9]{22}$/);
    assert.equal((await stat(tokenPath)).mode & 0o777, 0o600);
  });

  test('shows the token to the operator again', async () => {
    assert.equal(await outputOf(app, { dataDir: dirname(tokenPath), setupToken: null }), `${token}\n`);
  });

  test('links to the setup page, and the page says where the token is but not what it is', async () => {
    const visitor = new Visitor(app.url);
    const home = await visitor.get('/');
    assert.equal(home.status, 200);
    assert.match(home.text, /href="\/setup"/);
    const page = await visitor.get('/setup');
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(tokenPath));
    assert.ok(!page.text.includes(token));
    for (const field of ['token', 'name', 'email', 'password', 'organisation'])
      assert.ok(page.text.includes(`name="${field}"`), field);
    assert.doesNotMatch(page.text, /<script(?! type="module" src="\/assets\/[\w.-]+"><\/script>)/);
    assert.equal(page.headers['cache-control'], 'no-store');
  });

  test('has no accounts at all: no key works and no one can sign in', async () => {
    await new ApiClient(app.url, token, '').refused(401, 'credentials.invalid', 'getAccount');
    await app.anonymous.refused(401, 'login.wrong', 'login', { body: { user: { email: 'admin', password: 'admin' } } });
    assert.deepEqual(await people(), []);
  });

  test('names every missing field, and returns the token but not the password', async () => {
    const reply = await submit({});
    assert.equal(reply.status, 422);
    for (const words of ['Enter the setup token', 'Enter your name', 'Enter your e-mail', 'Choose a password'])
      assert.ok(reply.text.includes(words), words);
    const partial = await submit({ token, password: form.password, name: 'Half <b>Typed</b>' });
    assert.equal(partial.status, 422);
    assert.ok(partial.text.includes('Half &lt;b&gt;Typed&lt;/b&gt;'));
    assert.ok(partial.text.includes(`value="${token}"`) && !partial.text.includes(form.password));
    assert.deepEqual(await people(), []);
  });

  test('names every fault at once, also together with missing fields and a wrong token', async () => {
    const wrong = { token, name: '', email: 'no address', password: 'short', organisation: 'x'.repeat(101) };
    const reply = await submit(wrong);
    assert.equal(reply.status, 422);
    const sentences = ['Enter your name', 'name@example.com', 'at least 12 characters', 'at most 100'];
    for (const sentence of sentences) assert.ok(reply.text.includes(sentence), sentence);
    assert.ok(!reply.text.includes('the setup token.'), 'the token was right');
    const from = { 'x-forwarded-for': '198.51.104.7' };
    const other = await submit({ ...wrong, token: 'x' }, from);
    assert.equal(other.status, 403);
    for (const sentence of [...sentences, 'That isn’t the setup token'])
      assert.ok(other.text.includes(sentence), sentence);
    assert.deepEqual(await people(), []);
  });

  test('fills in the token of a set-up link, and opening the link proves nothing', async () => {
    const page = await new Visitor(app.url).get(`/setup?token=${token.slice(1)}%22%3E`);
    assert.ok(page.text.includes(`value="${token.slice(1)}&quot;&gt;"`));
    assert.deepEqual(await people(), []);
  });

  test('refuses a form from a foreign page and a body that is no form', async () => {
    const foreign = await submit({ ...form, token }, { 'sec-fetch-site': 'cross-site' });
    assert.equal(foreign.status, 403);
    const json = await rawRequest(`${app.url}/setup`, {
      method: 'POST',
      headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' },
      body: new URLSearchParams({ ...form, token }).toString(),
    });
    assert.equal(json.status, 422);
    assert.deepEqual(await people(), []);
  });

  test('refuses a weak password, a bad address and bad names, with the right token', async () => {
    for (const [fields, words] of [
      [{ password: 'short' }, /at least 12 characters/],
      [{ password: 'password1234' }, /easy to guess/],
      [{ password: 'Example Org 2026' }, /must not be built from/],
      [{ email: 'no address' }, /name@example\.com/],
      [{ name: 'x'.repeat(201) }, /at most 200/],
      [{ organisation: 'x'.repeat(101) }, /at most 100/],
    ] as const) {
      const reply = await submit({ ...form, ...fields, token });
      assert.equal(reply.status, 422, reply.text.slice(0, 200));
      assert.match(reply.text, words);
    }
    assert.deepEqual(await people(), []);
    assert.ok(await exists(tokenPath));
  });

  test('answers a wrong token with 403, and after five in a minute with 429, also the right one', async () => {
    const from = { 'x-forwarded-for': '198.51.100.40' };
    for (const wrong of ['x', token.slice(1), `${token}x`, token.toLowerCase(), 'A'.repeat(22)]) {
      const reply = await submit({ ...form, token: wrong }, from);
      assert.equal(reply.status, 403, wrong);
      assert.match(reply.text, /That isn’t the setup token/);
    }
    const closed = await submit({ ...form, token }, from);
    assert.equal(closed.status, 429);
    assert.equal(closed.headers['retry-after'], '60');
    assert.doesNotMatch(closed.text, /That isn’t the setup token/);
    const elsewhere = await submit({ ...form, token: 'x' }, { 'x-forwarded-for': '198.51.101.40' });
    assert.equal(elsewhere.status, 403, 'other networks are not shut out');
    assert.deepEqual(await people(), []);
    app.clock.advance(minuteMs - 1);
    assert.equal((await submit({ ...form, token }, from)).status, 429);
    app.clock.advance(1);
    assert.equal((await submit({ ...form, token: 'x' }, from)).status, 403);
  });

  test('gives the refusal of a wrong token a code', async () => {
    const first = { name: 'Eve', email: 'eve@example.com', password: form.password, organisationName: 'Eve' };
    const from = { address: '198.51.102.7', agent: '', requestId: '' };
    await assert.rejects(completeSetup(app.app.ctx, { ...systemCaller, from }, 'x', first), {
      kind: 'forbidden',
      code: 'setup.wrong_token',
      field: 'token',
    });
    assert.deepEqual(await people(), []);
  });

  test('creates no user without a password', async () => {
    for (const password of [null, '']) {
      const first = { name: 'Ada', email: form.email, password, organisationName: 'Example Org' };
      const from = { address: '198.51.103.7', agent: '', requestId: '' };
      await assert.rejects(completeSetup(app.app.ctx, { ...systemCaller, from }, token, first), {
        code: 'password.too_short',
        field: 'password',
        values: { n: 12 },
      });
    }
    assert.deepEqual(await people(), []);
  });

  test('keeps the token over a restart', async () => {
    await app.restart();
    assert.equal((await readFile(tokenPath, 'utf8')).trim(), token);
  });

  test('accepts exactly one of several concurrent submissions; its key works, and the page is gone permanently', async () => {
    const attempts = Array.from({ length: 5 }, (_, number) => ({
      ...form,
      email: `admin${number}@example.com`,
      token: ` ${token} `,
    }));
    const replies = await Promise.all(
      attempts.map((fields, number) => submit(fields, { 'x-forwarded-for': `203.0.113.${number}` })),
    );
    const winners = replies.flatMap((reply, number) => (reply.status === 200 ? [number] : []));
    assert.equal(winners.length, 1);
    assert.ok(replies.every((reply) => [200, 404].includes(reply.status)));
    const users = await people();
    assert.deepEqual(
      users.map((user) => [user.email, user.group_id]),
      [[`admin${winners[0]}@example.com`, 'system-administrators']],
    );
    const reply = replies[winners[0]!]!;
    const key = /[^A-Za-z0-9]([A-Za-z0-9]{22})[^A-Za-z0-9]/.exec(reply.text)![1]!;
    const admin = new ApiClient(app.url, key, users[0]!.email);
    await admin.expect(200, 'listUsers');
    const { body } = await app.anonymous.expect(200, 'login', {
      body: { user: { email: users[0]!.email, password: form.password } },
    });
    assert.equal((body as { user: { api_key: string } }).user.api_key, key);

    assert.ok(!(await exists(tokenPath)), 'the token file is removed');
    const visitor = new Visitor(app.url);
    assert.equal((await visitor.get('/setup')).status, 404);
    assert.equal((await submit({ ...form, email: 'late@example.com', token })).status, 404);
    assert.equal((await submit({ ...form, token: 'wrong' })).status, 404);
    await everywhere(async () => {
      const home = await visitor.get('/');
      return home.text.includes('Example Org') && !home.text.includes('/setup');
    });
    assert.equal((await people()).length, 1);

    await app.restart();
    assert.equal((await visitor.get('/setup')).status, 404);
    assert.ok(!(await exists(tokenPath)));
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .select('object_id')
      .where('action', '=', 'installation.set_up')
      .execute();
    assert.deepEqual(events, [{ object_id: users[0]!.id }]);
  });
});

onEachDatabase('a setup token chosen by the operator', (_start, engine) => {
  test('opens the page, is written to no file and named by its variable only', async () => {
    const chosen = 'chosen by the operator';
    const { app, store } = await startWithStore(engine, {
      isSetUp: false,
      environment: { WAYBILL_SETUP_TOKEN: chosen },
    });
    try {
      assert.ok(!(await exists(join(store.WAYBILL_DATA_DIR!, 'setup-token'))));
      const config = readConfig({ ...store, WAYBILL_SETUP_TOKEN: chosen });
      await assert.rejects(outputOf(app, config), /the one in WAYBILL_SETUP_TOKEN; it is not shown/);
      const visitor = new Visitor(app.url);
      const page = await visitor.get('/setup');
      assert.ok(page.text.includes('WAYBILL_SETUP_TOKEN') && !page.text.includes(chosen));
      assert.equal((await visitor.submit('/setup', { ...form, token: 'chosen' })).status, 403);
      const step = await visitor.submit('/setup', { ...form, token: chosen });
      assert.deepEqual([step.status, /Set up e-mail/.test(step.text)], [200, true]);
      const done = await visitor.get('/setup/done');
      assert.equal(done.status, 200);
      assert.match(done.text, /href="\/app\/send"[^>]*>Send a first file</);
      assert.match(done.text, /href="\/app\/admin"[^>]*>Finish setting up</);
      assert.doesNotMatch(done.text, /WAYBILL_SMTP_URL/, 'the console sets mail up');
      assert.equal((await visitor.get('/app/send')).status, 200, 'the new administrator is signed in');
      const again = await visitor.get('/setup/done');
      assert.deepEqual([again.status, again.headers.location], [303, '/'], 'the key is shown once');
    } finally {
      await app.close();
    }
  });
});

onOneEngine('the start page', (_start, engine) => {
  test('offers sign-in to visitors, and leads signed-in people into the app', async () => {
    const { app } = await startWithStore(engine);
    try {
      const visitor = new Visitor(app.url);
      const stranger = await visitor.get('/');
      assert.equal(stranger.status, 200);
      assert.match(stranger.text, /href="\/sign-in"[^>]*>Sign in</);
      await visitor.submit('/sign-in', { email: 'root@example.com', password: form.password });
      const known = await visitor.get('/');
      assert.deepEqual([known.status, known.headers.location], [303, '/app']);
    } finally {
      await app.close();
    }
  });

  test('has no link to API documents that are not public', async () => {
    const { app } = await startWithStore(engine, { environment: { WAYBILL_OPENAPI: 'signed-in' } });
    try {
      const home = await new Visitor(app.url).get('/');
      assert.doesNotMatch(home.text, /openapi/);
    } finally {
      await app.close();
    }
  });
});

onEachDatabase('setting up unattended', (_start, engine) => {
  const logged: string[] = [];
  const line = (facts: object, sentence: string) => void logged.push(`${JSON.stringify(facts)} ${sentence}`);
  const log = { debug: line, info: line, warn: line, error: line };
  const options = { clock: manualClock(testStart), passwordParameters: { memoryKiB: 64, passes: 1, parallelism: 1 } };

  test('creates the operator’s administrator, once; later settings change nothing, and no setup page appears', async () => {
    const { app, store } = await startWithStore(engine);
    try {
      await app.admin.expect(200, 'listUsers');
      await app.anonymous.expect(200, 'login', {
        body: { user: { email: 'root@example.com', password: 'quiet river under seven lamps' } },
      });
      assert.equal((await new Visitor(app.url).get('/setup')).status, 404);
      assert.ok(!(await exists(join(store.WAYBILL_DATA_DIR!, 'setup-token'))));
      const other = readConfig({
        ...store,
        WAYBILL_ADMIN_EMAIL: 'intruder@example.com',
        WAYBILL_ADMIN_PASSWORD: 'another long enough phrase',
        WAYBILL_ADMIN_API_KEY: 'Intruder1Intruder2Intr',
      });
      await prepare(other, log, options);
      const users = await app.app.ctx.db.read.selectFrom('users').select('email').execute();
      assert.deepEqual(users, [{ email: 'root@example.com' }]);
    } finally {
      await app.close();
    }
  });

  test('names the organisation', async () => {
    const place = await engine.create();
    try {
      const environment = {
        ...place.environment,
        WAYBILL_ADMIN_EMAIL: 'root@example.com',
        WAYBILL_ADMIN_PASSWORD: form.password,
        WAYBILL_ORGANISATION: 'Northlight Architects',
      };
      await prepare(readConfig(environment), log, options);
      const name = await withInstallation(readConfig(environment), log, async (ctx) => {
        await ctx.settings.refresh();
        return ctx.settings.current().organisationName;
      });
      assert.equal(name, 'Northlight Architects');
    } finally {
      await place.drop();
    }
  });

  test('with a weak password stops the start with a sentence, and creates no user', async () => {
    const place = await engine.create();
    try {
      const config = readConfig({
        ...place.environment,
        WAYBILL_ADMIN_EMAIL: 'root@example.com',
        WAYBILL_ADMIN_PASSWORD: 'password1234',
      });
      await assert.rejects(prepare(config, log, options), /easy to guess/);
      const right = readConfig({ ...place.environment });
      await prepare(right, log, options);
      assert.ok(
        await exists(join(place.environment.WAYBILL_DATA_DIR!, 'setup-token')),
        'the server still waits for setup',
      );
    } finally {
      await place.drop();
    }
  });

  test('writes a generated token to its file only, and announces the master key without showing it', async () => {
    const place = await engine.create();
    try {
      const config = readConfig({ ...place.environment });
      logged.length = 0;
      await prepare(config, log, options);
      const token = (await readFile(join(place.environment.WAYBILL_DATA_DIR!, 'setup-token'), 'utf8')).trim();
      assert.ok(!logged.some((entry) => entry.includes(token)));
      assert.equal(logged.filter((entry) => entry.includes('master key')).length, 1);
      const key = (await readFile(join(place.environment.WAYBILL_DATA_DIR!, 'master.key'), 'utf8')).trim();
      logged.length = 0;
      await prepare(config, log, options);
      assert.ok(!logged.some((entry) => entry.includes(token) || entry.includes(key) || entry.includes('master key')));
    } finally {
      await place.drop();
    }
  });

  test('refuses to start with another master key and leaves everything unchanged', async () => {
    const { app, store } = await startWithStore(engine);
    try {
      const wrong = readConfig({ ...store, WAYBILL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') });
      await assert.rejects(prepare(wrong, log, options), /does not belong to this database/);
      const gone = readConfig({ ...store, WAYBILL_MASTER_KEY_FILE: join(store.WAYBILL_DATA_DIR!, 'elsewhere.key') });
      await assert.rejects(prepare(gone, log, options), /master key is missing/);
      assert.ok(
        !(await exists(join(store.WAYBILL_DATA_DIR!, 'elsewhere.key'))),
        'none is created next to existing data',
      );
      await app.admin.expect(200, 'listUsers');
    } finally {
      await app.close();
    }
  });
});
