import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemEndpoints } from '#contract/admin/system.ts';
import { onOneEngine, startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { assertInside, everywhere } from '#test/kit/outside.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { findNginx, startNginxWith } from '#test/kit/servers/nginx.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';
import { wireForm } from '#test/kit/wire-form.ts';

const { getSystem, getSupportText, listJobs, runJob, testConnection, beginMaintenance } = systemEndpoints;

onOneEngine('the system', (start) => {
  const mailbox = openMailbox();
  let isDiskGone = false;
  const app = useApp(start, {
    ...mailbox.options,
    environment: { ...mailbox.options.environment, WAYBILL_MAIL_FROM: 'files@northlight.example' },
    wrapVault: (vault) => ({
      ...vault,
      list() {
        if (isDiskGone) throw new Error('EIO at /srv/files/x of alice@example.com');
        return vault.list();
      },
    }),
  });
  const alice = usePerson(app, 'alice');

  test('is refused to users and administrators below the top; auditors read and change nothing', async () => {
    const administrator = await app.person('adam', { group: 'administrators' });
    const auditors = await app.group('Auditors', { role: 'auditor' });
    const auditor = await app.person('ann', { group: auditors });
    const calls = (who: ApiClient, readStatus: number, changeStatus: number) => async () => {
      for (const name of ['getSystem', 'getSupportText', 'listJobs'] as const) await who.expect(readStatus, name);
      await who.expect(changeStatus, 'testConnection');
      await who.expect(changeStatus, 'runJob', { params: { name: 'tidy' }, body: { run: {} } });
      await who.expect(changeStatus, 'beginMaintenance', { body: { maintenance: {} } });
      await who.expect(changeStatus, 'endMaintenance');
    };
    await calls(alice, 403, 403)();
    await calls(administrator, 403, 403)();
    await calls(auditor, 200, 403)();
    await calls(app.anonymous, 401, 401)();
  });

  test('returns version, platform, each setting with its source, and licences; never a secret', async () => {
    const { body, text } = await app.admin.expect(200, 'getSystem');
    const { system } = wireForm(getSystem.answer, body);
    assert.deepEqual([system.database, system.storage, system.maintenance], ['SQLite', 'folder', null]);
    const settings = new Map(system.settings.map((setting) => [setting.name, setting]));
    assert.deepEqual(
      ['WAYBILL_MAIL_FROM', 'WAYBILL_ADMIN_PASSWORD', 'WAYBILL_TIMEZONE'].map((name) => {
        const { value, source } = settings.get(name)!;
        return [value, source];
      }),
      [
        ['files@northlight.example', 'environment'],
        ['•••', 'environment'],
        ['UTC', 'default'],
      ],
    );
    assert.doesNotMatch(text, /seven lamps|AdminKeyAdminKey/);
    assert.ok(system.licences.some(({ name, licence }) => name === 'zod' && licence === 'MIT'));
  });

  test('lists jobs with their last run and why they failed, and runs them on request', async () => {
    const all = wireForm(listJobs.answer, (await app.admin.expect(200, 'listJobs')).body).jobs;
    assert.ok(all.length > 10);
    assert.equal(all.find(({ name }) => name === 'tidy')!.last_run_at, null);
    const run = async (name: string) =>
      wireForm(runJob.answer, (await app.admin.expect(200, 'runJob', { params: { name }, body: { run: {} } })).body)
        .job;
    const tidy = await run('tidy');
    assert.deepEqual([tidy.failures, tidy.is_running], [0, false]);
    assert.notEqual(tidy.last_run_at, null);
    isDiskGone = true;
    const failed = await run('sweep-orphans');
    assert.deepEqual([failed.failures, failed.note], [1, 'failed']);
    assert.match(failed.failure, /EIO/);
    await app.admin.refused(404, 'job.not_found', 'runJob', { params: { name: 'nonsense' }, body: { run: {} } });
  });

  test('has a text for support that names the faults and no person', async () => {
    const { text } = wireForm(getSupportText.answer, (await app.admin.expect(200, 'getSupportText')).body).support;
    assert.match(text, /^Waybill \d/);
    assert.match(text, /sweep-orphans: .*failed 1 time in a row: EIO/);
    assert.match(text, /WAYBILL_MAIL_FROM=\(set\)/);
    assert.match(text, /WAYBILL_ADMIN_PASSWORD=•••/);
    assert.doesNotMatch(text, /@|example|\/srv|127\.0\.0\.1/);
    isDiskGone = false;
    await app.admin.expect(200, 'runJob', { params: { name: 'sweep-orphans' }, body: { run: {} } });
  });

  test('passes the connection test without a proxy, and serves its probe to no one else', async () => {
    const { body } = await app.admin.expect(200, 'testConnection');
    const { checks } = wireForm(testConnection.answer, body).connection_test;
    assert.deepEqual(
      checks.map(({ state, code }) => [state, code]),
      ['public.reached', 'host.ok', 'https.local', 'forwarded.direct', 'size.ok', 'buffering.ok', 'clock.ok'].map(
        (code) => ['passed', code],
      ),
    );
    const stranger = (token: string) => app.anonymous.expect(404, 'probeConnection', { params: { token }, bytes: 'x' });
    await stranger('nothing');
    await stranger(`${app.clock.now() + 60_000}.wrong`);
  });
});

onOneEngine('maintenance', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice', { password: 'quiet river under seven lamps' });
  const begin = async (maintenance: object) => {
    const reply = await app.admin.expect(200, 'beginMaintenance', { body: { maintenance } });
    await everywhere(async () => (await alice.call('getAccount')).status === 503);
    return reply;
  };
  const end = async () => {
    await app.admin.expect(200, 'endMaintenance');
    await everywhere(async () => (await alice.call('getAccount')).status === 200);
  };

  test('needs an end in the future and one line of text', async () => {
    const past = new Date(app.clock.now() - 1).toISOString();
    await app.admin.refused(422, 'maintenance.past', 'beginMaintenance', { body: { maintenance: { until: past } } });
    await app.admin.refused(422, 'maintenance.bad_message', 'beginMaintenance', {
      body: { maintenance: { message: 'a\nb' } },
    });
    await alice.expect(200, 'getAccount');
  });

  test('shows users one sentence, on pages and in calls; administrators still have access', async () => {
    const until = new Date(app.clock.now() + 60_000).toISOString();
    const { body } = await begin({ message: 'New disks. Back at ten.', until });
    assert.equal(wireForm(beginMaintenance.answer, body).maintenance.message, 'New disks. Back at ten.');
    const refused = await alice.refused(503, 'maintenance.told', 'getAccount');
    assert.deepEqual((refused.body as { errors: string[] }).errors, ['New disks. Back at ten.']);
    assert.equal(refused.headers.get('retry-after'), '60');
    await app.admin.expect(200, 'getAccount');
    const page = await app.anonymous.fetch('/app', { headers: { accept: 'text/html' } });
    assert.equal(page.status, 503);
    assert.match(page.text, /New disks\. Back at ten\./);
    assert.equal((await app.anonymous.fetch('/sign-in', { headers: { accept: 'text/html' } })).status, 200);
    assert.equal((await app.anonymous.fetch('/healthz')).status, 200);
  });

  test('leads an administrator who signs in at a browser to the app, but no other user', async () => {
    for (const [login, status] of [
      ['root@example.com', 200],
      [alice.email, 503],
    ] as const) {
      const visitor = new Visitor(app.url);
      const done = await visitor.submit('/sign-in', { email: login, password: 'quiet river under seven lamps' });
      assert.equal(done.status, 303, login);
      assert.equal((await visitor.get('/app')).status, status, login);
    }
  });

  test('lets a running upload finish and refuses a new one; afterwards everything works as before', async () => {
    await end();
    const chunkOf = (chunk: string, filename = 'plan.txt') => ({
      query: { filename, chunk, chunks: '2' },
      bytes: 'half',
      headers: { 'content-type': 'application/octet-stream' },
    });
    await alice.expect(200, 'uploadForLink', chunkOf('0'));
    await begin({});
    const finished = await alice.expect(200, 'uploadForLink', chunkOf('1'));
    assert.match(finished.text, /"attachment"/);
    await alice.refused(503, 'maintenance.on', 'uploadForLink', chunkOf('0', 'other.txt'));
    await alice.refused(503, 'maintenance.on', 'uploadForLink', {
      query: { filename: 'whole.txt' },
      bytes: 'whole',
      headers: { 'content-type': 'application/octet-stream' },
    });
    await end();
    await alice.upload('other.txt', 'whole');
    const events = await app.app.ctx.db.read.selectFrom('events').select('action').orderBy('seq').execute();
    assert.deepEqual(
      events.map(({ action }) => action).filter((action) => action.startsWith('maintenance.')),
      ['maintenance.begun', 'maintenance.ended', 'maintenance.begun', 'maintenance.ended'],
    );
  });
});

describe('the connection test behind nginx', { skip: findNginx() === null ? 'needs nginx' : false }, () => {
  let app: TestApp;
  let nginx: { stop(): Promise<void> };
  let ports: number[];
  const good = 'proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;';
  const open = 'client_max_body_size 0; proxy_request_buffering off; proxy_http_version 1.1;';
  const planted = {
    'no fault': `${good} ${open}`,
    'a small body limit': `${good} client_max_body_size 3m; proxy_request_buffering off; proxy_http_version 1.1;`,
    'buffering of uploads': `${good} client_max_body_size 0; proxy_http_version 1.1;`,
    'no forwarded address': `proxy_set_header Host $http_host; ${open}`,
    'another host name': `proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; ${open}`,
  };
  const others = { 'another server': 'return 200 hello;', 'a redirect': 'return 301 https://elsewhere.example/;' };

  before(async () => {
    ports = await freePorts(Object.keys(planted).length + Object.keys(others).length + 2);
    app = await startTestApp(sqliteAndDisk, { environment: { WAYBILL_ROLE: 'web', WAYBILL_TRUST_PROXY: 'loopback' } });
    const block = (at: number, inside: string) => `server { listen 127.0.0.1:${ports[at]}; location / { ${inside} } }`;
    const proxies = Object.values(planted).map((text, at) => block(at, `proxy_pass ${app.url}; ${text}`));
    const strangers = Object.values(others).map((text, at) => block(proxies.length + at, text));
    const dead = block(proxies.length + strangers.length, `proxy_pass http://127.0.0.1:${ports.at(-1)};`);
    nginx = await startNginxWith([...proxies, ...strangers, dead].join('\n'), ports[0]!);
  });
  after(async () => {
    await nginx?.stop();
    await app?.close();
  });

  /** The faults when the public address has this port. */
  const faultsAt = async (port: number) => {
    assertInside();
    const { surroundings } = app.app.ctx.settings;
    surroundings.baseUrl = `http://127.0.0.1:${port}`;
    const { body } = await app.admin.expect(200, 'testConnection');
    const { checks } = wireForm(testConnection.answer, body).connection_test;
    assert.equal(checks.length, 7);
    const faults = checks.filter(({ state }) => state === 'failed');
    for (const { cure } of faults) assert.ok(cure !== null && cure.length > 10);
    return faults.map(({ code, sentence }) => ({ code, sentence }));
  };

  const expected = {
    'no fault': [],
    'a small body limit': ['size.too_small'],
    'buffering of uploads': ['buffering.uploads'],
    'no forwarded address': ['forwarded.missing'],
    'another host name': ['host.changed'],
    'another server': ['public.another_server'],
    'a redirect': ['public.redirected'],
    'a proxy that leads nowhere': ['public.bad_gateway'],
    'a port without a listener': ['public.refused'],
  };
  for (const [at, [what, codes]] of Object.entries(expected).entries()) {
    test(`names ${what}`, async () => {
      const faults = await faultsAt(ports[at]!);
      assert.deepEqual(
        faults.map(({ code }) => code),
        codes,
      );
      if (what === 'a small body limit') assert.match(faults[0]!.sentence, /larger than 3 MiB\. Uploads need 100 MiB/);
    });
  }
});
