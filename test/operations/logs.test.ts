// The log reveals no secret: canaries in all inputs, valid and invalid, with the most verbose log. Requests are traceable.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { simpleParser } from 'mailparser';
import { Secret, TOTP } from 'otpauth';
import { createLog } from '#server/lib/log.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { type CuttableProxy, openCuttableProxy } from '#test/kit/cuttable-proxy.ts';
import { clickDownload, enterPassword, fetchFile } from '#test/kit/downloads.ts';
import { type Engine, postgresAndDisk, postgresAndS3, sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { newLink } from '#test/kit/links.ts';
import { codeIn } from '#test/kit/mailbox.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { startRelay, type TestRelay } from '#test/kit/smtp-relay.ts';

const canaries = new Map<string, string>();
/** Creates a unique text and remembers it. */
function plant(what: string, value = `canary-${randomBytes(9).toString('hex')}`): string {
  assert.ok(value.length >= 6, `${what} is too short to be searched for: ${value}`);
  canaries.set(what, value);
  return value;
}

const lines: string[] = [];
const log = createLog({ level: 'debug', format: 'json' }, { write: (line: string) => void lines.push(line) });

describe('the log', { skip: findTestServers() === null && 'without servers' }, () => {
  let app: TestApp;
  let relay: TestRelay;
  let database: CuttableProxy;
  let person: ApiClient;
  let isRelayWilling = true;
  let dataDir: string;
  const personPassword = plant('password of a person', `harbour ${randomBytes(6).toString('hex')} lantern`);

  before(async () => {
    relay = await startRelay({
      onAuth: (_auth, _session, done) =>
        isRelayWilling ? done(null, { user: 'waybill' }) : done(new Error('535 5.7.8 not today')),
      onRcptTo: ({ address }, _session, done) =>
        address === 'lee@example.com' ? done(new Error(`no mailbox ${address}`)) : done(),
    });
    const throughProxy: Engine = {
      name: 'through a wire that can be cut',
      async create() {
        const { environment, drop } = await postgresAndDisk.create('migrated');
        const url = new URL(environment.WAYBILL_DATABASE_URL!);
        dataDir = environment.WAYBILL_DATA_DIR!;
        database = await openCuttableProxy({ host: url.hostname, port: Number(url.port) });
        url.port = String(database.port);
        url.password = plant('password of the database');
        return {
          environment: { ...environment, WAYBILL_DATABASE_URL: url.href },
          async drop() {
            await database.close();
            await drop();
          },
        };
      },
    };
    app = await startTestApp(throughProxy, {
      log,
      environment: {
        WAYBILL_ROLE: 'web',
        WAYBILL_MAIL_RATE: '0',
        WAYBILL_TRUST_PROXY: 'loopback',
        WAYBILL_SMTP_URL: `smtp://waybill:${plant('password of the relay')}@127.0.0.1:${relay.port}`,
        WAYBILL_METRICS_TOKEN: plant('token of the metrics'),
        WAYBILL_ADMIN_PASSWORD: plant('password of the administrator', `seven ${randomBytes(6).toString('hex')} lamps`),
      },
    });
    person = await app.person('person', { password: personPassword });
    plant('API key of a person', person.key!);
    plant('API key of the administrator', app.admin.key!);
    plant('Authorization header', Buffer.from(`${person.key}:`).toString('base64'));
  });
  after(async () => {
    await app?.close();
    await relay?.close();
  });

  /** The relay's answers to mails for this person. */
  const saidBy = async ({ app: { ctx } }: TestApp, recipient: string) => {
    const rows = ctx.db.read.selectFrom('outbox').select('server_text').where('recipient', '=', recipient);
    return (await rows.execute()).map(({ server_text: text }) => text).join('\n');
  };
  const post = async (to: string) => {
    const seen = relay.received.length;
    await app.app.jobs.runOnce('send-outbox');
    const mails = relay.received.slice(seen).filter(({ envelopeTo }) => envelopeTo.includes(to));
    return Promise.all(mails.map(async ({ mime }) => (await simpleParser(mime)).text ?? ''));
  };

  test('hides what programs send', async () => {
    await person.upload(
      plant('name of a file', `canary-file-${randomBytes(6).toString('hex')}.txt`),
      plant('content of a file'),
    );
    await person.call('uploadForLink', {
      query: { filename: plant('name of a chunk'), chunks: 'many', chunk: plant('number of a chunk') },
      bytes: Buffer.from('x'),
    });
    const headers = { 'idempotency-key': plant('idempotency key') };
    const message = {
      recipients: ['sam@example.com'],
      subject: plant('subject'),
      message: plant('text of a message'),
      attachments: [inlineFile(plant('name of an inline file'), plant('content of an inline file'))],
    };
    await person.expect(200, 'sendMessage', { body: { message }, headers });
    await person.fetch(`/message?${plant('query')}=${plant('value of a query')}`, {
      headers: { accept: 'application/json' },
    });
    const json = { 'content-type': 'application/json', authorization: `Bearer ${person.key}` };
    await person.fetch('/link', { method: 'POST', headers: json, body: `{"link": ${plant('broken JSON')}` });
    await person.fetch('/link', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ link: { [plant('unknown field')]: 1 } }),
    });
    await person.fetch('/account', { headers: { authorization: `Bearer ${plant('wrong API key')}` } });
    await person.fetch('/account', { headers: { authorization: `Digest ${plant('strange credentials')}` } });
    await person.fetch(`/message/${plant('id of no message')}`, { headers: { accept: 'application/json' } });
    await person.fetch(`/${plant('address of nothing')}`);
    const request = {
      recipients: ['max@example.com'],
      subject: plant('subject of a request'),
      message: plant('text of a request'),
    };
    await person.call('createFileRequest', { body: { request } });
    const account = await person.expect(200, 'getAccount');
    plant('key of a client', (account.body as { user: { client_encryption_key: string } }).user.client_encryption_key);
  });

  test('hides what people type, click and send in cookies', async () => {
    const link = await newLink(person, { password: plant('password of a link') });
    plant('id of a link', link.id);
    await enterPassword(app.url, link.id, plant('wrong password of a link'));
    const pass = await enterPassword(app.url, link.id, canaries.get('password of a link')!);
    plant('pass of a link', pass!.split('=')[1]!.split(';')[0]!);
    const { path } = await clickDownload(app.url, link.id, pass!);
    plant('ticket', path!.split('/')[2]!);
    assert.equal((await fetchFile(app.url, path!)).status, 200);

    const browser = new Browser(app.url);
    await browser.submit('/sign-in', { email: person.email, password: plant('wrong password') });
    await browser.submit('/sign-in', { email: plant('unknown name'), password: plant('password of an unknown name') });
    await browser.submit('/sign-in', { email: person.email, password: personPassword });
    for (const [name, value] of browser.cookies) if (value.length > 20) plant(`cookie ${name}`, value);
    plant('token of a form', Browser.hidden(await browser.get('/sign-out'), 'csrf'));
    const signedIn = await signIn(app, person.email, personPassword);
    plant('token of a session', signedIn.session);
    const offer = await signedIn.expect(200, 'startTotp', { body: { password: personPassword } });
    const secret = plant('secret of the second step', (offer.body as { totp: { secret: string } }).totp.secret);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = plant('code of the second step', totp.generate({ timestamp: app.clock.now() }));
    await signedIn.expect(200, 'confirmTotp', { body: { code } });
    await browser.get('/sign-in', { cookie: `local-sid=${plant('cookie of no session')}` });
  });

  test('hides mailed secrets, even when mails fail', async () => {
    const id = (
      await sendMessage(person, {
        recipients: ['kim@example.com'],
        subject: 'Drawings',
        message: 'Here.',
        authorization: 1,
        send_email: true,
      })
    ).id;
    plant('id of a message', id);
    const browser = new Browser(app.url);
    await browser.submit('/verify/address', { target: `message:${id}`, address: 'kim@example.com' });
    const texts = await post('kim@example.com');
    const withCode = texts.find((text) => /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.test(text))!;
    const code = plant('mailed code', codeIn({ text: withCode } as Parameters<typeof codeIn>[0]));
    plant('code without its hyphen', code.replace('-', ''));
    await browser.submit('/verify/code', { target: `message:${id}`, code: plant('wrong code', 'WRNG-C2DE') });
    await browser.submit('/verify/code', { target: `message:${id}`, code });
    for (const [name, value] of browser.cookies) if (value.length > 20) plant(`cookie ${name} of a recipient`, value);

    await browser.submit('/forgot', { email: person.email });
    const [reset] = await post(person.email);
    plant('link to a new password', /\/reset\/([\w.-]{16,})/.exec(reset!)![1]!);
    await app.admin.expect(200, 'createUser', { body: { user: { email: 'new@example.com', invite: true } } });
    const subject = plant('subject of a mail that fails');
    await sendMessage(person, {
      recipients: ['lee@example.com'],
      subject,
      message: plant('text of a mail that fails'),
      send_email: true,
    });
    await app.app.jobs.runOnce('send-outbox');
    assert.match(await saidBy(app, 'lee@example.com'), /no mailbox/, 'the mail was really refused');
  });

  test('hides secrets while the database is unreachable, and reports that it is', async () => {
    const before = lines.length;
    database.cut();
    const reply = await person.fetch(`/account?${plant('query while the database is unreachable')}`, {
      headers: { authorization: `Bearer ${person.key}`, connection: 'close' },
    });
    assert.equal(reply.status, 503);
    database.mend();
    await eventually('the database is back', async () => (await person.call('getAccount')).status === 200);
    assert.match(lines.slice(before).join(''), /not available/);
  });

  test('hides the secrets of a store that refuses them', async () => {
    const s3 = findTestServers()!.s3;
    const wrong = await startTestApp(sqliteAndDisk, {
      log,
      environment: {
        WAYBILL_ROLE: 'web',
        WAYBILL_STORAGE: 's3',
        WAYBILL_S3_ENDPOINT: s3.endpoint,
        WAYBILL_S3_BUCKET: 'waybill-none',
        WAYBILL_S3_ACCESS_KEY: s3.accessKey,
        WAYBILL_S3_SECRET_KEY: plant('secret of the store'),
        WAYBILL_SMTP_URL: `smtp://waybill:${plant('password that the relay refuses')}@127.0.0.1:${relay.port}`,
        WAYBILL_MASTER_KEY: plant('master key', randomBytes(32).toString('base64')),
      },
    });
    try {
      const before = lines.length;
      const reply = await wrong.admin.call('uploadForLink', {
        query: { filename: 'a.bin' },
        bytes: Buffer.from('abc'),
      });
      assert.equal(reply.status, 503);
      assert.ok(lines.length > before, 'the fault itself is logged');
      isRelayWilling = false;
      const subject = plant('subject of a mail that waits');
      await sendMessage(wrong.admin, { recipients: ['ida@example.com'], subject, message: 'Later.', send_email: true });
      await wrong.app.jobs.runOnce('send-outbox');
      assert.match(await saidBy(wrong, 'ida@example.com'), /not today/);
    } finally {
      await wrong.close();
    }
  });

  for (const [what, wrong, words] of [
    ['whose bucket is missing', { WAYBILL_S3_BUCKET: 'waybill-none' }, /NoSuchBucket: .*bucket/],
    ['that does not take the secret', { WAYBILL_S3_SECRET_KEY: 'wrong' }, /SignatureDoesNotMatch: .*signature/],
    ['on a closed port', { WAYBILL_S3_ENDPOINT: 'http://127.0.0.1:1' }, /ECONNREFUSED/],
  ] as const)
    test(`logs once the error of a store ${what}, and again for each request that needs it`, async () => {
      const before = lines.length;
      const environment = { WAYBILL_ROLE: 'web', WAYBILL_TRUST_PROXY: 'loopback', ...wrong };
      const mute = await startTestApp(postgresAndS3, { log, environment });
      try {
        const { status, body } = await mute.anonymous.fetch('/readyz');
        assert.equal(status, 503);
        assert.deepEqual((body as { failing: string[] }).failing, ['storage']);
        const id = randomBytes(16).toString('hex');
        const headers = { 'x-request-id': id };
        const refused = await mute.admin.call('uploadForLink', { query: { filename: 'a' }, bytes: 'a', headers });
        assert.equal(refused.status, 503);
        const entries = lines.slice(before).map((line) => JSON.parse(line));
        const [atStart, ...more] = entries.filter(({ check }) => check === 'storage');
        assert.deepEqual(more, []);
        assert.equal(atStart.level, 50);
        assert.match(atStart.msg, words);
        const forRequest = entries.filter(({ requestId }) => requestId === id);
        assert.ok(
          forRequest.some((facts) => words.test(JSON.stringify(facts))),
          JSON.stringify(forRequest),
        );
      } finally {
        await mute.close();
      }
    });

  test('a request keeps the id from its proxy: in the answer, on the error page and in the log', async () => {
    const id = randomBytes(16).toString('hex');
    const page = await new Browser(app.url).get('/message/nothing-here', { 'x-request-id': id });
    assert.equal(page.headers.get('x-request-id'), id);
    const call = await fetch(`${app.url}/account`, { headers: { 'x-request-id': id, accept: 'application/json' } });
    assert.equal(((await call.json()) as { request_id: string }).request_id, id);
    const line = lines
      .map((text) => JSON.parse(text))
      .find((facts) => facts.requestId === id && facts.route === '/account');
    assert.equal(line.status, 401);
    assert.ok(line.tookMs >= 0);

    const { passwords } = app.app.ctx.keys;
    const verify = passwords.verifyPassword;
    passwords.verifyPassword = () => Promise.reject(new Error('an internal fault'));
    const broken = randomBytes(16).toString('hex');
    const fields = { email: person.email, password: plant('password that meets a fault') };
    const fault = await new Browser(app.url).post('/sign-in', fields, { 'x-request-id': broken });
    passwords.verifyPassword = verify;
    assert.equal(fault.status, 500);
    assert.ok(fault.text.includes(broken), 'the page shows it to the person');
    const logged = lines
      .map((text) => JSON.parse(text))
      .find((facts) => facts.requestId === broken && facts.level === 50);
    assert.match(logged.err, /an internal fault/);
  });

  test('none of the canaries is in any line', async () => {
    plant('master key of the folder', (await readFile(join(dataDir, 'master.key'), 'utf8')).trim());
    assert.ok(canaries.size >= 40, `${canaries.size} canaries`);
    assert.ok(lines.length > 40, `${lines.length} lines`);
    const leaksIn = (text: string) =>
      [...canaries]
        .filter(([, value]) => text.includes(value) || text.includes(encodeURIComponent(value)))
        .map(([what]) => what);
    assert.deepEqual(leaksIn(`a line with ${canaries.get('subject')} in it`), ['subject'], 'the search itself works');
    assert.deepEqual(leaksIn(lines.join('')), []);
  });
});
