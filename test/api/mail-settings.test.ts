// Mail settings of the console: tested before they take effect, sealed, shared by processes; OAuth, Graph and DKIM.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import type { z } from 'zod';
import { mailDeliveryEndpoints } from '#contract/admin/mail-delivery.ts';
import type { problem } from '#contract/problems.ts';
import { startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { silentLog } from '#server/lib/log.ts';
import { onEachDatabase, startTestApp, type TestApp } from '#test/kit/app.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { watchEngine } from '#test/kit/engines.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { startRelay, type TestRelay } from '#test/kit/smtp-relay.ts';
import { startTokenEndpoint, type TokenEndpoint } from '#test/kit/token-endpoint.ts';
import { wireForm } from '../kit/wire-form.ts';

const password = 'a rather secret horse';
const withPassword: SMTPServerOptions = {
  authOptional: false,
  allowInsecureAuth: true,
  onAuth: ({ username, password: given }, _session, done) =>
    done(given === password ? null : Object.assign(new Error('5.7.8 Authentication failed'), { responseCode: 535 }), {
      user: username,
    }),
};

onEachDatabase('mail settings', (_start, engine) => {
  const watched = watchEngine(engine);
  let app: TestApp;
  let relay: TestRelay;
  let tokens: TokenEndpoint;
  let oauthRelay: TestRelay;
  before(async () => {
    relay = await startRelay(withPassword);
    tokens = await startTokenEndpoint();
    oauthRelay = await startRelay({
      authOptional: false,
      allowInsecureAuth: true,
      authMethods: ['XOAUTH2'],
      onAuth: ({ username, accessToken }, _session, done) =>
        tokens.isValid(accessToken ?? '')
          ? done(null, { user: username })
          : done(null, { data: { status: '401', schemes: 'bearer', scope: 'mail' } }),
    });
    app = await startTestApp(watched.engine, { environment: { WAYBILL_ROLE: 'web' } });
  });
  after(async () => {
    await app.close();
    await relay.close();
    await oauthRelay.close();
    await tokens.close();
  });

  const smtp = (more: object = {}) => ({
    host: '127.0.0.1',
    port: relay.port,
    security: 'starttls',
    sign_in: 'password',
    user: 'files',
    password,
    from: 'files@northlight.example',
    ...more,
  });
  const oauth = (more: object = {}) => ({
    host: '127.0.0.1',
    port: oauthRelay.port,
    sign_in: 'oauth',
    user: 'files@northlight.example',
    token_url: tokens.tokenUrl,
    client_id: 'waybill',
    client_secret: 'an oauth secret',
    from: 'files@northlight.example',
    ...more,
  });
  const change = async (mail_settings: object) => {
    const { body } = await app.admin.expect(200, 'changeMailSettings', { body: { mail_settings } });
    return wireForm(mailDeliveryEndpoints.changeMailSettings.answer, body).mail_settings;
  };
  const refused = async (mail_settings: object, code = 'mail_settings.test_failed') => {
    const reply = await app.admin.refused(422, code, 'changeMailSettings', { body: { mail_settings } });
    return reply.body as z.output<typeof problem>;
  };
  const settings = async () => {
    const { body } = await app.admin.expect(200, 'getMailSettings');
    return wireForm(mailDeliveryEndpoints.getMailSettings.answer, body).mail_settings;
  };
  const remove = () => app.admin.expect(200, 'removeMailSettings');
  const sendTest = async (at: TestApp = app) => {
    const { body } = await at.admin.expect(200, 'testMail', { body: { mail_test: {} } });
    return wireForm(mailDeliveryEndpoints.testMail.answer, body).mail_test;
  };
  const failedStep = ({ steps }: { steps?: { check: string; state: string; code: string; said: string }[] }) =>
    steps!.filter(({ state }) => state === 'failed').map(({ check, code, said }) => [check, code, said]);

  test('are refused to users, administrators below the top, and callers without an account', async () => {
    const people = [
      [await app.person('alice'), 403],
      [await app.person('adam', { group: 'administrators' }), 403],
      [app.anonymous, 401],
    ] as const;
    for (const [who, status] of people) {
      await who.expect(status, 'getMailSettings');
      await who.expect(status, 'removeMailSettings');
      await who.expect(status, 'changeMailSettings', { body: { mail_settings: smtp() } });
    }
    assert.equal(relay.received.length, 0);
  });

  test('take effect after a test mail to the caller was accepted, with an event and no secret anywhere', async () => {
    const saved = await change(smtp());
    assert.deepEqual(
      [saved.source, saved.setup.host, saved.setup.user, saved.secrets],
      ['console', '127.0.0.1', 'files', ['password']],
    );
    assert.deepEqual(relay.received.at(-1)!.envelopeTo, ['root@example.com']);
    assert.equal(relay.received.at(-1)!.user, 'files');
    const { ctx } = app.app;
    const { document } = await ctx.db.read.selectFrom('settings').select('document').executeTakeFirstOrThrow();
    const events = await ctx.db.read
      .selectFrom('events')
      .selectAll()
      .where('action', '=', 'mail.settings_changed')
      .execute();
    assert.equal(events.length, 1);
    for (const text of [document, JSON.stringify(events), JSON.stringify(saved)])
      assert.doesNotMatch(text, new RegExp(password));
    assert.equal((await sendTest()).is_accepted, true);
    const { body } = await app.admin.expect(200, 'getMailDelivery');
    const { mail } = wireForm(mailDeliveryEndpoints.getMailDelivery.answer, body);
    assert.deepEqual([mail.is_set_up, mail.source, mail.from], [true, 'console', 'files@northlight.example']);
    await remove();
    assert.equal((await settings()).source, 'none');
  });

  test('that fail their test are not saved, and the answer names the step, the words of the server and a cure', async () => {
    const wrong = await refused(smtp({ password: 'wrong' }));
    assert.deepEqual(
      failedStep(wrong).map((step) => step.slice(0, 2)),
      [['sign_in', 'smtp.wrong_password']],
    );
    assert.match(
      wrong.errors.join(' '),
      /nothing was saved.*user name and password.*5\.7\.8 Authentication failed.*app password/,
    );
    const unknown = await refused(smtp({ host: 'no-such-host.invalid' }));
    assert.deepEqual(failedStep(unknown)[0]!.slice(0, 2), ['resolve', 'smtp.host_unknown']);
    const silent = await refused(smtp({ port: 1 }));
    assert.deepEqual(failedStep(silent)[0]!.slice(0, 2), ['connect', 'smtp.refused']);
    const unprotected = await refused(smtp({ security: 'tls' }));
    assert.equal(failedStep(unprotected)[0]![0], 'encrypt');
    assert.equal((await settings()).source, 'none');
  });

  test('name the field that is missing or wrong before anything is sent', async () => {
    const cases: [object, string, string][] = [
      [smtp({ host: '' }), 'mail_settings.missing', 'host'],
      [smtp({ host: 'a b' }), 'mail_settings.bad_host', 'host'],
      [smtp({ password: '' }), 'mail_settings.missing', 'password'],
      [smtp({ from: 'files' }), 'mail_settings.bad_sender', 'from'],
      [oauth({ token_url: 'http://tokens.example/token' }), 'mail_settings.bad_address', 'token_url'],
      [oauth({ client_secret: '' }), 'mail_settings.missing', 'client_secret'],
      [oauth({ certificate: 'nonsense' }), 'mail_settings.bad_certificate', 'certificate'],
      [smtp({ dkim_domain: 'northlight.example' }), 'mail_settings.missing', 'dkim_selector'],
      [
        smtp({ dkim_domain: 'northlight.example', dkim_selector: 's1', dkim_key: 'x' }),
        'mail_settings.bad_dkim_key',
        'dkim_key',
      ],
      [
        { method: 'graph', user: 'a@b.example', client_id: 'x', client_secret: 'y' },
        'mail_settings.missing',
        'token_url',
      ],
    ];
    for (const [input, code, field] of cases) assert.equal((await refused(input, code)).field, field);
    await app.admin.refused(422, 'request.invalid', 'changeMailSettings', {
      body: { mail_settings: { ...smtp(), port: 70_000 } } as never,
    });
  });

  test('keep a secret that is left out for the same server, and never send it to another', async () => {
    await change(smtp());
    const { password: _, ...withoutPassword } = smtp({ from: 'other@northlight.example' });
    assert.deepEqual((await change(withoutPassword)).setup.from, 'other@northlight.example');
    assert.equal((await refused({ ...withoutPassword, host: 'localhost' }, 'mail_settings.missing')).field, 'password');
    await remove();
  });

  test('are used by other processes without a restart, and by a restarted one', async () => {
    const other = await startApp(
      readConfig({
        ...watched.settings(),
        WAYBILL_ROLE: 'web',
        WAYBILL_LISTEN: '127.0.0.1:0',
        WAYBILL_BASE_URL: app.url,
        WAYBILL_WORKERS: '1',
        WAYBILL_MIN_FREE_SPACE: '0',
      }),
      silentLog,
      { clock: app.clock },
    );
    const asked = tokens.asked.length;
    await change(oauth({ client_secret: 'shared' }));
    await other.ctx.settings.refresh();
    await sendMessage(await newPerson(app, 'olga'), { recipients: ['cleo@harbour.example'], send_email: true });
    await other.jobs.runOnce('send-outbox');
    assert.ok(oauthRelay.received.some(({ envelopeTo }) => envelopeTo[0] === 'cleo@harbour.example'));
    assert.equal(tokens.asked.length, asked + 1);
    await other.close();
    await change(smtp());
    await app.restart();
    assert.equal((await sendTest()).is_accepted, true);
    await remove();
  });

  test('with OAuth sign in with a token that is requested once and renewed before it expires', async () => {
    const asked = tokens.asked.length;
    await change(oauth());
    assert.equal(oauthRelay.received.at(-1)!.user, 'files@northlight.example');
    await sendTest();
    assert.deepEqual(
      tokens.asked
        .slice(asked)
        .map((form) => [form.get('grant_type'), form.get('client_id'), form.get('client_secret')]),
      [['client_credentials', 'waybill', 'an oauth secret']],
    );
    app.clock.advance(3600_000 - 4 * 60_000);
    await sendTest();
    assert.equal(tokens.asked.length, asked + 2);
    const row = await app.app.ctx.db.read.selectFrom('mail_tokens').select('sealed').executeTakeFirstOrThrow();
    assert.doesNotMatch(row.sealed!.toString('latin1'), /access-/);
    tokens.revoke();
    const result = await sendTest();
    assert.deepEqual(failedStep(result), []);
    await remove();
  });

  test('with OAuth name a refused token, an unreachable token service and a mail server that does not accept it', async () => {
    tokens.refusal = { error: 'invalid_client', error_description: 'AADSTS7000222: The secret has expired.' };
    const expired = await refused(oauth({ client_secret: 'old' }));
    assert.deepEqual(failedStep(expired), [
      ['token', 'token.refused', 'invalid_client: AADSTS7000222: The secret has expired.'],
    ]);
    tokens.refusal = null;
    const gone = await refused(oauth({ token_url: 'http://127.0.0.1:1/token' }));
    assert.deepEqual(failedStep(gone)[0]!.slice(0, 2), ['token', 'token.unreachable']);
    await change(oauth({ client_secret: 'third' }));
    tokens.revoke();
    tokens.refusal = { error: 'invalid_client', error_description: 'revoked' };
    const lost = await sendTest();
    assert.deepEqual(failedStep(lost)[0]![0], 'token');
    tokens.refusal = null;
    await remove();
  });

  test('with OAuth and a refresh token keep the one that replaces it', async () => {
    tokens.rotates = true;
    tokens.refreshToken = 'first';
    await change(oauth({ client_secret: '', refresh_token: 'first' }));
    for (let renewal = 0; renewal < 2; renewal++) {
      app.clock.advance(3_600_000);
      assert.equal((await sendTest()).is_accepted, true);
    }
    assert.deepEqual(
      tokens.asked.slice(-3).map((form) => form.get('grant_type')),
      Array(3).fill('refresh_token'),
    );
    tokens.rotates = false;
    await remove();
  });

  test('with OAuth and a certificate prove the client with a signed assertion', async () => {
    const { keyPem, certificatePem } = makeCertificate();
    const asked = tokens.asked.length;
    await change(oauth({ client_secret: '', certificate: `${certificatePem}\n${keyPem}` }));
    const form = tokens.asked[asked]!;
    assert.equal(form.get('client_assertion_type'), 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const claims = JSON.parse(Buffer.from(form.get('client_assertion')!.split('.')[1]!, 'base64url').toString());
    assert.deepEqual([claims.aud, claims.iss, claims.sub], [tokens.tokenUrl, 'waybill', 'waybill']);
    await remove();
  });

  test('with Microsoft Graph send the mail as MIME, and name a mailbox that may not send', async () => {
    const graph = {
      method: 'graph',
      graph_url: tokens.graphUrl,
      token_url: tokens.tokenUrl,
      client_id: 'waybill',
      client_secret: 'graph secret',
      user: 'files@northlight.example',
    };
    tokens.graphFault = { status: 403, code: 'ErrorAccessDenied', message: 'Access is denied.' };
    const denied = await refused(graph);
    assert.deepEqual(failedStep(denied), [['sender', 'graph.sender_refused', 'ErrorAccessDenied: Access is denied.']]);
    tokens.graphFault = null;
    const saved = await change(graph);
    assert.deepEqual([saved.setup.method, saved.secrets], ['graph', ['client_secret']]);
    const mail = tokens.mails.at(-1)!;
    assert.equal(mail.user, 'files@northlight.example');
    assert.match(mail.mime, /^From: .*<files@northlight\.example>\r?$/m);
    assert.match(mail.mime, /^To: root@example\.com\r?$/m);
    await remove();
  });

  test('with DKIM sign every mail with a key that is created, and show the record to paste', async () => {
    const saved = await change(smtp({ dkim_domain: 'northlight.example', dkim_selector: 'waybill' }));
    assert.equal(saved.dkim_record!.name, 'waybill._domainkey.northlight.example');
    assert.match(saved.dkim_record!.value, /^v=DKIM1; k=rsa; p=MIIB/);
    assert.deepEqual(saved.secrets, ['password', 'dkim_key']);
    await sendTest();
    assert.match(
      relay.received.at(-1)!.mime.toString(),
      /DKIM-Signature: v=1; .*d=northlight\.example;\s.*s=waybill;/s,
    );
    await remove();
  });

  test('make waiting mails leave: until then none is sent, refused or given up', async () => {
    const alice = await newPerson(app, 'alina');
    await sendMessage(alice, { recipients: ['ben@harbour.example'], send_email: true });
    const { jobs } = app.app;
    const mails = async () =>
      app.app.ctx.db.read
        .selectFrom('outbox')
        .select(['state', 'server_text'])
        .where('recipient', '=', 'ben@harbour.example')
        .execute();
    for (let day = 0; day < 3; day++) {
      await jobs.runOnce('send-outbox');
      app.clock.advance(86_400_000);
    }
    assert.deepEqual(await mails(), [{ state: 'pending', server_text: 'waiting for mail set-up' }]);
    const count = relay.received.length;
    await change(smtp());
    await jobs.runOnce('send-outbox');
    assert.deepEqual(
      relay.received
        .slice(count + 1)
        .flatMap(({ envelopeTo }) => envelopeTo)
        .filter((to) => to.startsWith('ben')),
      ['ben@harbour.example'],
    );
    assert.equal((await mails())[0]!.state, 'sent');
    await remove();
  });
});

onEachDatabase('mail settings from the environment', (start) => {
  test('win over those of the console, are shown with their variable, and cannot be changed there', async () => {
    const relay = await startRelay();
    const app = await start({
      environment: {
        WAYBILL_ROLE: 'web',
        WAYBILL_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
        WAYBILL_MAIL_FROM: 'a@b.example',
      },
    });
    const { body } = await app.admin.expect(200, 'getMailSettings');
    const { mail_settings } = wireForm(mailDeliveryEndpoints.getMailSettings.answer, body);
    assert.equal(mail_settings.source, 'environment');
    assert.deepEqual(mail_settings.fixed, { method: 'WAYBILL_SMTP_URL', from: 'WAYBILL_MAIL_FROM' });
    await app.admin.refused(409, 'mail_settings.from_environment', 'changeMailSettings', {
      body: { mail_settings: { host: 'other.example' } },
    });
    await app.close();
    await relay.close();
  });
});
