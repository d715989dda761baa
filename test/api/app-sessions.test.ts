import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { meAnswer, sessionAnswer } from '#contract/app/me.ts';
import { keepSessionAwake } from '#server/actions/sessions/identities.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { type SignedIn, signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const password = 'seven lamps under a quiet river';

onEachDatabase('calls with a session', (start) => {
  const app = useApp(start);
  let people = 0;

  const newSession = async (more: { group?: string; keep?: boolean } = {}): Promise<SignedIn> => {
    app.clock.advance(7000);
    const email = `session${++people}@example.com`;
    await app.person(`session${people}`, {
      password,
      email,
      ...(more.group === undefined ? {} : { group: more.group }),
    });
    return signIn(app, email, password, more.keep);
  };

  testOnce('a session without its token is refused, also for reading', async () => {
    const ann = await newSession();
    await ann.refused(403, 'request.no_token', 'getAccount', { headers: { 'x-csrf-token': '' } });
    await ann.refused(403, 'request.no_token', 'listSent', { headers: { 'x-csrf-token': 'wrong' } });
    const other = await newSession();
    await ann.refused(403, 'request.no_token', 'getAccount', {
      headers: { 'x-csrf-token': other.shown['x-csrf-token']! },
    });
  });

  test("a change must come from our own page, by the browser's header or the origin", async () => {
    const ann = await newSession();
    const call = (headers: Record<string, string>) =>
      ann.call('sendMessage', { body: { message: { recipients: ['ben@example.com'] } }, headers });
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site', origin: app.url },
    ];
    for (const headers of foreign) {
      const reply = await call(headers);
      assert.equal(reply.status, 403, JSON.stringify(headers));
      assert.equal((reply.body as { code: string }).code, 'request.foreign_form');
    }
    assert.equal((await call({ 'sec-fetch-site': '', origin: app.url })).status, 200);
  });

  testOnce('bodies that a form could send are refused', async () => {
    const ann = await newSession();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const reply = await ann.fetch('/app-api/messages/x/revoke', {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': type },
        body: new TextEncoder().encode('{}'),
      });
      assert.equal(reply.status, 403, type);
    }
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const reply = await ann.call('uploadForMessage', {
        query: { filename: 'a.txt' },
        bytes: 'bytes',
        headers: { 'content-type': type },
      });
      assert.equal(reply.status, 403, type);
    }
  });

  testOnce('with an Authorization header cookies are ignored', async () => {
    const ann = await newSession();
    for (const authorization of ['Basic bm90LWEta2V5Ong=', 'Bearer nonsense', 'Digest x']) {
      await ann.refused(401, 'credentials.invalid', 'getAccount', { headers: { authorization } });
    }
    const ben = await app.person(`keyholder${++people}`);
    const { body } = await ben.expect(200, 'getMe', { headers: ann.shown });
    const { me } = wireForm(meAnswer, body);
    assert.equal(me.email, ben.email);
    assert.equal(me.csrf_token, null);
  });

  testOnce('an unknown cookie, an idle session and an expired one are refused', async () => {
    const ann = await newSession();
    await ann.refused(403, 'request.no_token', 'getAccount', { headers: { cookie: `local-sid=${'a'.repeat(44)}` } });
    app.clock.advance(59 * minuteMs);
    await ann.expect(200, 'getAccount');
    app.clock.advance(59 * minuteMs);
    await ann.expect(200, 'getAccount');
    app.clock.advance(61 * minuteMs);
    await ann.refused(401, 'session.ended', 'getAccount');
    const busy = await newSession();
    for (let hour = 0; hour < 15; hour++) {
      app.clock.advance(45 * minuteMs);
      await busy.expect(200, 'getAccount');
    }
    app.clock.advance(12 * hourMs - 15 * 45 * minuteMs);
    await busy.refused(401, 'session.ended', 'getAccount');
  });

  testOnce("an administrator's session ends after half an hour of inactivity", async () => {
    const root = await signIn(app, 'root@example.com', 'quiet river under seven lamps');
    await root.expect(200, 'listGroups');
    app.clock.advance(31 * minuteMs);
    await root.refused(401, 'session.ended', 'listGroups');
  });

  test('a disabled account and a changed password end the session immediately', async () => {
    const ann = await newSession();
    await ann.expect(200, 'getAccount');
    await app.admin.expect(200, 'changeUser', { params: { id: ann.email }, body: { user: { disabled: true } } });
    await ann.refused(401, 'session.ended', 'getAccount');
  });

  testOnce('of a deleted account no session, no preference and no contact name is stored', async () => {
    const ann = await newSession();
    const names = [{ address: 'ben@harbour.example', name: 'Ben Berg' }];
    await sendMessage(ann, { recipients: ['ben@harbour.example'], names });
    await ann.expect(200, 'changeNotices', { body: { receipts: 'off' } });
    const { read } = app.app.ctx.db;
    const kept = async () => [
      (await read.selectFrom('sessions').selectAll().where('user_id', '=', idOf(ann)).execute()).length,
      (await read.selectFrom('preferences').selectAll().where('user_id', '=', idOf(ann)).execute()).length,
      (await read.selectFrom('contact_names').selectAll().where('owner_id', '=', idOf(ann)).execute()).length,
    ];
    assert.deepEqual(await kept(), [1, 1, 1]);
    await app.admin.expect(200, 'deleteUser', { params: { id: ann.email } });
    assert.deepEqual(await kept(), [0, 0, 0]);
    await ann.refused(401, 'session.ended', 'getAccount');
  });

  testOnce('a person who owes a second step can do nothing else', async () => {
    const group = await app.group(`Strict ${++people}`, { require_second_factor: 'required' });
    const ann = await newSession({ group });
    await ann.refused(403, 'session.second_step_missing', 'getMe');
  });

  testOnce(
    'the end of a session is returned, and reading it does not extend the session; other calls do, up to a limit',
    async () => {
      const ends = async (who: ApiClient) =>
        wireForm(sessionAnswer, (await who.expect(200, 'getSession')).body).session;
      assert.equal(await ends(app.admin), null, 'a key has no session');
      const ann = await newSession();
      assert.deepEqual(await ends(ann), { ends_in: 3600, can_stay: true });
      app.clock.advance(59 * minuteMs);
      assert.deepEqual(await ends(ann), { ends_in: 60, can_stay: true });
      await ann.expect(200, 'getMe');
      assert.deepEqual(await ends(ann), { ends_in: 3600, can_stay: true });
      for (let minutes = 59; minutes < 12 * 60 - 30; minutes += 50) {
        app.clock.advance(50 * minuteMs);
        await ann.expect(200, 'getMe');
      }
      assert.deepEqual(await ends(ann), { ends_in: 660, can_stay: false }, 'no session lasts longer than half a day');
      app.clock.advance(11 * minuteMs);
      await ann.refused(401, 'session.ended', 'getSession');
      const kept = await newSession({ keep: true });
      app.clock.advance(23 * hourMs);
      assert.deepEqual(await ends(kept), { ends_in: 3600, can_stay: false });
      const idle = await newSession();
      app.clock.advance(61 * minuteMs);
      await idle.refused(401, 'session.ended', 'getSession');
    },
  );

  testOnce('background reads of a page do not extend the session; its changes do', async () => {
    const ends = async (who: ApiClient) => wireForm(sessionAnswer, (await who.expect(200, 'getSession')).body).session;
    const headers = { 'x-unattended': '1' };
    const ann = await newSession();
    app.clock.advance(59 * minuteMs);
    await ann.expect(200, 'getMe', { headers });
    await ann.expect(200, 'getAccount', { headers });
    assert.deepEqual(await ends(ann), { ends_in: 60, can_stay: true });
    await ann.expect(200, 'changeProfile', { body: { language: '' }, headers });
    assert.deepEqual(await ends(ann), { ends_in: 3600, can_stay: true });
    app.clock.advance(61 * minuteMs);
    await ann.refused(401, 'session.ended', 'getMe', { headers });
  });

  test('the call that returns the token needs none from our own page, and is refused to others', async () => {
    const ann = await newSession();
    await ann.refused(403, 'request.no_token', 'getMe', {
      headers: { 'x-csrf-token': '', 'sec-fetch-site': 'cross-site' },
    });
    await ann.refused(403, 'request.no_token', 'getMe', { headers: { 'x-csrf-token': '', 'sec-fetch-site': '' } });
    const { body, headers } = await ann.expect(200, 'getMe', { headers: { 'x-csrf-token': '' } });
    assert.equal(wireForm(meAnswer, body).me.csrf_token, ann.shown['x-csrf-token']);
    assert.deepEqual(headers.getSetCookie(), []);
  });

  testOnce('a signed-in person uploads, sends, reads and downloads without any key', async () => {
    const ann = await newSession();
    const file = await ann.upload('plan.txt', 'the plan', 'uploadForMessage');
    const sent = await sendMessage(ann, { recipients: ['ben@example.com'], attachments: [file.id] });
    const { body } = await ann.expect(200, 'getMessage', { params: { id: sent.id } });
    const { url } = (body as { message: { attachments: { url: string }[] } }).message.attachments[0]!;
    const bytes = await ann.fetch(url.slice(app.url.length), { headers: { accept: '*/*' } });
    assert.equal(bytes.text, 'the plan');
  });

  testOnce('the rights of the account are returned with the same names as for a key', async () => {
    const group = await app.group(`Few rights ${++people}`, {
      can_use_filelinks: false,
      message_max_expires_after: 5,
      message_default_expires_after: 3,
    });
    const ann = await newSession({ group });
    const { me } = wireForm(meAnswer, (await ann.expect(200, 'getMe')).body);
    assert.equal(me.policy.message_max_expires_after, 5);
    assert.equal(me.policy.message_default_expires_after, 3);
    assert.equal(me.features.links, false);
    assert.equal(me.group.id, group);
    assert.deepEqual(me.addresses.senders, [ann.email]);
    assert.equal(me.can_send_mail, false);
    assert.equal(me.today, new Date(app.clock.now()).toISOString().slice(0, 10));
  });

  testOnce('background transfers extend a session, and revive none that has ended', async () => {
    const ann = await newSession();
    for (let time = 0; time < 2; time++) {
      app.clock.advance(50 * minuteMs);
      await keepSessionAwake(app.app.ctx, ann.session);
    }
    app.clock.advance(50 * minuteMs);
    await ann.expect(200, 'getAccount');
    app.clock.advance(61 * minuteMs);
    await ann.refused(401, 'session.ended', 'getAccount');
  });

  testOnce('an upload in progress extends the session', async () => {
    const ann = await newSession();
    const outgoing = request(`${app.url}/message/attachments/upload?filename=slow.txt`, {
      method: 'POST',
      agent: false,
      headers: {
        ...ann.shown,
        'content-type': 'application/octet-stream',
        'content-length': 4,
        expect: '100-continue',
      },
    });
    outgoing.flushHeaders();
    // By then the server has authenticated the caller and asks for the body.
    await once(outgoing, 'continue');
    app.clock.advance(20 * minuteMs);
    outgoing.end('slow');
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
    assert.equal(reply.statusCode, 200);
    reply.resume();
    const sessions = app.app.ctx.db.read.selectFrom('sessions').select('id_hash');
    await until(() => sessions.where('active_at', '=', app.clock.now()).executeTakeFirst());
    app.clock.advance(50 * minuteMs);
    await ann.expect(200, 'getAccount');
  });
});
