import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { TOTP } from 'otpauth';
import { confirmOwnTotp } from '#server/actions/account/security.ts';
import { disableTotp, offerTotp } from '#server/actions/account/totp.ts';
import { readBackApiKey } from '#server/actions/api-keys/api-keys.ts';
import { createOwnKey, deleteOwnKey, listOwnKeys, replaceOwnKey } from '#server/actions/api-keys/own-api-keys.ts';
import { choosePassword } from '#server/actions/sessions/one-time-links.ts';
import { createRecoveryLink } from '#server/actions/sessions/operator-links.ts';
import { csrfToken, passSecondStep, signInWithPassword } from '#server/actions/sessions/sessions.ts';
import { renewClientKeyOf } from '#server/actions/users/access.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import { openMemoryTransport } from '#test/kit/mail-transport.ts';
import { newPerson } from '#test/kit/messages.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { SignedIn, signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven quiet lamps under a river';

onOneEngine('Security notices', (start) => {
  const transport = openMemoryTransport();
  const app = useApp(start, { mailTransport: transport, environment: { WAYBILL_ROLE: 'web' } });

  const post = async () => {
    const earlier = transport.sent.length;
    await app.app.jobs.runOnce('send-outbox');
    return transport.sent.slice(earlier).map(({ mail }) => mail);
  };
  beforeEach(post);

  const change = (id: string, user: Record<string, unknown>) =>
    app.admin.expect(200, 'changeUser', { params: { id }, body: { user } });
  const setTotp = (id: string, state: 'on' | 'off') =>
    app.app.ctx.db.write((tx) => tx.updateTable('users').set({ totp_state: state }).where('id', '=', id).execute());
  const subjectsTo = async (address: string) =>
    (await post()).filter(({ to }) => to === address).map(({ subject }) => subject);

  test('report a new password, and a new address to the old one, but not another name', async () => {
    await newPerson(app, 'alice', { password });
    await post();
    await change('alice-example-com', { name: 'Alice Smith' });
    assert.deepEqual(await subjectsTo('alice@example.com'), []);
    await change('alice-example-com', { password: 'nine other lamps beside a hill' });
    assert.match((await subjectsTo('alice@example.com')).join(), /password/i);
    await change('alice-example-com', { email: 'alice@quay.example' });
    assert.match((await subjectsTo('alice@example.com')).join(), /address/i);
  });

  test('name the device for changes by the owner only', async () => {
    const faye = await newPerson(app, 'faye', { password });
    const headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    };
    const textOf = async () => (await post()).find(({ to }) => to === faye.email)!.text;
    await post();
    const body = { current: password, new: 'nine other lamps beside a hill' };
    await faye.expect(200, 'changePassword', { body, headers });
    assert.match(await textOf(), /Firefox 140, Linux/);
    const user = { password: 'eleven lamps on a long pier' };
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(faye) }, body: { user }, headers });
    assert.doesNotMatch(await textOf(), /Firefox|Linux/);
  });

  test('report to a new administrator that their key was replaced', async () => {
    const bob = await newPerson(app, 'bob');
    await post();
    await change('bob-example-com', { group: 'external-users' });
    await change('bob-example-com', { group: 'local-users' });
    await bob.expect(200, 'getAccount');
    assert.deepEqual(await subjectsTo(bob.email), []);
    await change('bob-example-com', { group: 'administrators' });
    await bob.refused(401, 'credentials.invalid', 'getAccount');
    assert.match((await subjectsTo(bob.email)).join(), /key/i);
  });

  test('are sent when administrators remove the second step, of people below them, never their own', async () => {
    const carol = await newPerson(app, 'carol', { password });
    const chief = await newPerson(app, 'chief', { group: 'administrators' });
    const dave = await newPerson(app, 'dave', { group: 'administrators' });
    const remove = (id: string) => ({ params: { id } });
    for (const id of ['carol-example-com', 'dave-example-com', 'chief-example-com']) await setTotp(id, 'on');
    await post();
    await carol.refused(403, 'admin.not_permitted', 'removeSecondFactor', remove('carol-example-com'));
    await chief.expect(404, 'removeSecondFactor', remove('dave-example-com'));
    await chief.expect(404, 'removeSecondFactor', remove('unknown'));
    await chief.refused(422, 'user.self', 'removeSecondFactor', remove('chief-example-com'));
    await chief.expect(200, 'removeSecondFactor', remove('carol-example-com'));
    await chief.refused(422, 'totp.not_on', 'removeSecondFactor', remove('carol-example-com'));
    assert.equal((await subjectsTo(carol.email)).length, 1);
    assert.deepEqual(await subjectsTo(dave.email), []);
    const row = await app.app.ctx.db.read
      .selectFrom('users')
      .selectAll()
      .where('id', '=', 'carol-example-com')
      .executeTakeFirstOrThrow();
    assert.deepEqual([row.totp_state, row.totp_sealed], ['off', null]);
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .select(['object_id'])
      .where('action', '=', 'totp.removed')
      .execute();
    assert.deepEqual(
      events.map(({ object_id }) => object_id),
      ['carol-example-com'],
    );
  });

  test('report a second step that is switched on or off by its owner, by the operator, and a password chosen anew', async () => {
    const { ctx } = app.app;
    const erin = await newPerson(app, 'erin', { password });
    const found = await callerFor(app, erin);
    const caller = { ...found, policy: { ...found.policy, require_second_factor: 'offered' } } as const;
    await post();
    const elsewhere = await signIn(app, erin.email, password);
    const { secret } = await offerTotp(ctx, caller);
    const countedTries = () =>
      ctx.db.read.selectFrom('attempts').select('kind').where('about', '=', caller.userId).execute();
    await assert.rejects(confirmOwnTotp(ctx, caller, 'wrong'), { code: 'totp.wrong_code' });
    assert.deepEqual(await countedTries(), [{ kind: 'secondStep' }]);
    await confirmOwnTotp(ctx, caller, new TOTP({ secret }).generate({ timestamp: ctx.clock.now() }));
    assert.deepEqual(await countedTries(), [], 'wrong codes before the right one are forgotten');
    assert.match((await subjectsTo(erin.email)).join(), /second step/i);
    await elsewhere.refused(401, 'session.ended', 'getAccount');
    app.clock.advance(60_000);
    const code = new TOTP({ secret }).generate({ timestamp: ctx.clock.now() });
    const { token: pendingToken } = await signInWithPassword(ctx, systemCaller, {
      login: erin.email,
      password,
      keep: false,
    });
    const { token: passed } = (await passSecondStep(ctx, systemCaller, { pendingToken, code, keep: false }))!;
    const again = new SignedIn(app.url, erin.email, passed, csrfToken(ctx, passed));
    await again.expect(200, 'getAccount');
    await disableTotp(ctx, caller);
    await again.refused(401, 'session.ended', 'getAccount');
    assert.match((await subjectsTo(erin.email)).join(), /second step/i);
    const token = (await createRecoveryLink(ctx, erin.email, { withoutSecondStep: false })).split('/').at(-1)!;
    await choosePassword(ctx, systemCaller, { token, kind: 'reset', password: `${password} again`, name: null });
    assert.match((await subjectsTo(erin.email)).join(), /password/i);
  });

  test('report keys that are created, replaced, ended, read by others or renewed for their owner', async () => {
    const { ctx } = app.app;
    const fay = await newPerson(app, 'fay', { password });
    const [caller, root] = [await callerFor(app, fay), await callerFor(app, app.admin)];
    await post();
    const noticeOf = async (work: () => Promise<unknown>) => {
      await work();
      return (await subjectsTo(fay.email)).join();
    };
    let id = '';
    const make = async () => {
      ({ id } = await createOwnKey(ctx, caller, { name: 'backup', expiresOn: undefined }));
    };
    assert.match(await noticeOf(make), /key/i);
    assert.match(await noticeOf(() => replaceOwnKey(ctx, caller, id, { endsNow: true, password: undefined })), /key/i);
    const { id: newest } = (await listOwnKeys(ctx, caller)).find(({ name }) => name === 'backup')!;
    assert.match(await noticeOf(() => deleteOwnKey(ctx, caller, newest)), /key/i);
    assert.match(await noticeOf(() => readBackApiKey(ctx, root, fay.email, 'lost it')), /key/i);
    assert.match(await noticeOf(() => renewClientKeyOf(ctx, root, idOf(fay), 'lost it')), /key/i);
  });

  test('a person has at most twenty keys, one that replaces another included', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(app, await newPerson(app, 'gus', { password }));
    const make = (name: string) => createOwnKey(ctx, caller, { name, expiresOn: undefined });
    const { id } = await make('first');
    for (let keys = 2; keys < 20; keys++) await make(`number ${keys}`);
    const full = { code: 'api_key.limit', values: { n: 20 } };
    await assert.rejects(make('one too many'), full);
    await assert.rejects(replaceOwnKey(ctx, caller, id, { endsNow: false, password: undefined }), full);
    await deleteOwnKey(ctx, caller, id);
    await make('one again');
  });
});
