import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { offerTotp } from '#server/actions/account/totp.ts';
import { checkLinkPass, tryLinkPassword } from '#server/actions/file-links/passwords.ts';
import { createOnce } from '#server/actions/idempotency.ts';
import { findSignedIn } from '#server/actions/sessions/identities.ts';
import { signInWithPassword } from '#server/actions/sessions/sessions.ts';
import { systemCaller, type UserCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { browserProving, sendMessage } from '#test/kit/messages.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

onOneEngine('A lifetime', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const password = 'seven lamps under a quiet river';
  let alice: ApiClient;
  let caller: UserCaller;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
    caller = await callerFor(app, alice);
  });

  test('of "last used" at a key is five minutes', async () => {
    const lastUsed = async () => {
      const { read } = app.app.ctx.db;
      const key = read.selectFrom('api_keys').select('last_used_at').where('user_id', '=', idOf(alice));
      return Number((await key.executeTakeFirstOrThrow()).last_used_at);
    };
    await alice.expect(200, 'getAccount');
    const used = app.clock.now();
    for (const [passedMs, expected] of [
      [5 * minuteMs, used],
      [5 * minuteMs + 1, used + 5 * minuteMs + 1],
    ] as const) {
      app.clock.set(used + passedMs);
      await alice.expect(200, 'getAccount');
      assert.equal(await lastUsed(), expected);
    }
  });

  test("of an unused session is an hour, of an administrator's half of it; use is recorded each minute", async () => {
    const { ctx } = app.app;
    const chief = await newPerson(app, 'chief', { password, group: 'administrators' });
    for (const [who, idleMs] of [
      [alice, hourMs],
      [chief, hourMs / 2],
    ] as const) {
      const open = async () =>
        (await signInWithPassword(ctx, systemCaller, { login: who.email, password, keep: false })).token;
      const signedIn = async (token: string, isPassive: boolean) =>
        (await findSignedIn(ctx, token, { isPassive })) !== null;
      const token = await open();
      const begun = app.clock.now();
      app.clock.set(begun + minuteMs);
      assert.equal(await signedIn(token, false), true, 'less than a minute is not written down');
      app.clock.set(begun + idleMs);
      assert.equal(await signedIn(token, true), true);
      app.clock.set(begun + idleMs + 1);
      assert.equal(await signedIn(token, true), false);
      const busy = await open();
      const again = app.clock.now();
      app.clock.set(again + minuteMs + 1);
      assert.equal(await signedIn(busy, false), true);
      app.clock.set(again + minuteMs + 1 + idleMs);
      assert.equal(await signedIn(busy, true), true);
      app.clock.advance(1);
      assert.equal(await signedIn(busy, true), false);
    }
  });

  test('of an opened link password is fifteen minutes', async () => {
    const { ctx } = app.app;
    const { linkId } = await share(alice, { bytes: 'abc', link: { password: 'violet' } });
    const check = await tryLinkPassword(ctx, systemCaller, linkId, 'violet');
    assert.ok(check.isRight);
    const isValid = async () => (await checkLinkPass(ctx, linkId, check.pass)).isValid;
    app.clock.advance(15 * minuteMs - 1);
    assert.equal(await isValid(), true);
    app.clock.advance(1);
    assert.equal(await isValid(), false);
  });

  test('of a stored answer is a day', async () => {
    const { ctx } = app.app;
    const once = { key: 'a day', request: {} };
    const make = (name: string) => createOnce(ctx, caller, once, async () => async () => name);
    assert.equal(await make('first'), 'first');
    app.clock.advance(dayMs);
    assert.equal(await make('second'), 'first');
    app.clock.advance(1);
    assert.equal(await make('third'), 'third');
    assert.equal(await make('fourth'), 'third');
  });

  test('of a proposed secret for a second step is a quarter of an hour by the clock', async () => {
    const { ctx } = app.app;
    const begun = Math.ceil(app.clock.now() / (15 * minuteMs)) * 15 * minuteMs;
    app.clock.set(begun);
    const { secret, uri } = await offerTotp(ctx, caller);
    assert.match(uri, /[?&]period=30(&|$)/);
    assert.equal(secret.length, 32, '20 bytes in base 32');
    app.clock.set(begun + 15 * minuteMs - 1);
    assert.equal((await offerTotp(ctx, caller)).secret, secret);
    app.clock.advance(1);
    assert.notEqual((await offerTotp(ctx, caller)).secret, secret);
  });

  test('of the last chunk of a finished upload is an hour, in which it returns the same file', async () => {
    const send = async (chunk: string) => {
      const upload = { query: { filename: 'again.txt', chunks: '2', chunk }, bytes: `upload ${chunk}` };
      const { body } = await alice.expect(200, 'uploadForLink', upload);
      return (body as { attachment: { id: string } } | null)?.attachment.id ?? null;
    };
    await send('0');
    const id = await send('1');
    assert.ok(id !== null);
    app.clock.advance(hourMs - 1);
    assert.equal(await send('1'), id);
    app.clock.advance(2);
    assert.equal(await send('1'), null, 'the chunk begins another file');
  });

  test('of cookies is sent to the browser', async () => {
    const ageOf = (reply: PageReply, name: string) => {
      const line = reply.headers.getSetCookie().find((cookie) => cookie.includes(`-${name}`));
      return Number(/Max-Age=(\d+)/.exec(line ?? '')?.[1]);
    };
    const browser = new Browser(app.url);
    assert.equal(ageOf(await browser.post('/language', { lang: 'de', to: '/' }), 'lang'), 365 * 86_400);
    const { linkId } = await share(alice, { bytes: 'abc' });
    assert.equal(ageOf(await browser.post(`/link/${linkId}/download`), 'visitor'), 86_400);
    const { body } = await alice.expect(200, 'getAccount');
    const drop = (body as { user: { filedrop_url: string } }).user.filedrop_url.slice(app.url.length);
    assert.equal(ageOf(await new Browser(app.url).get(drop), 'drop'), 86_400);
    const message = { recipients: ['ben@harbour.example'], subject: 'x', message: 'x', private_message: true };
    const { id } = await sendMessage(alice, { ...message, send_email: false });
    const ben = await browserProving(app, 'ben@harbour.example');
    assert.equal(ageOf(await ben.post(`/message/${id}/read`), 'read'), 3600);
  });

  test('of an opened private message is an hour, whatever the browser stores', async () => {
    const message = { recipients: ['ben@harbour.example'], message: 'The otter is grey', private_message: true };
    const { id } = await sendMessage(alice, { ...message, send_email: false });
    const ben = await browserProving(app, 'ben@harbour.example');
    const isOpen = async () => (await ben.get(`/message/${id}`)).text.includes('The otter is grey');
    await ben.post(`/message/${id}/read`);
    app.clock.advance(hourMs - 1);
    assert.ok(await isOpen());
    app.clock.advance(1);
    assert.ok(!(await isOpen()));
    const [name, proof] = [...ben.cookies].find(([name]) => name.includes('-read-'))!;
    ben.cookies.set(name, proof.replace(/^\d+/, String(app.clock.now() + hourMs)));
    assert.ok(!(await isOpen()), 'an extended cookie does not help');
  });
});
