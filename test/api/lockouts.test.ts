import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { securityEndpoints } from '#contract/admin/security.ts';
import { userEndpoints } from '#contract/admin/users.ts';
import type { LimitName, Subject } from '#server/domain/attempt-limits.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { assertRefused } from '#test/kit/client.ts';
import { counterOf } from '#test/kit/counters.ts';
import { eventually } from '#test/kit/eventually.ts';
import { assertInside } from '#test/kit/outside.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '#test/kit/wire-form.ts';

const password = 'quiet river under seven lamps';
const { listLocks, listClients, getSecuritySettings } = securityEndpoints;

onEachDatabase('locked sign-ins', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_TRUST_PROXY: 'loopback' } });
  const alice = usePerson(app, 'alice', { password });
  const bob = usePerson(app, 'bob', { password });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const logIn = (status: number, given: string, address = '192.0.2.1', email = alice.email) =>
    app.anonymous.expect(status, 'login', { body: { user: { email, password: given } }, headers: from(address) });
  const locks = async () => wireForm(listLocks.answer, (await app.admin.expect(200, 'listLocks')).body).locks;
  const eventsOf = async (prefix: string) => {
    const rows = await app.app.ctx.db.read.selectFrom('events').select(['action', 'facts']).orderBy('seq').execute();
    return rows.filter(({ action }) => action.startsWith(prefix)).map(({ action }) => action);
  };
  const lockAlice = async (address?: string) => {
    for (let attempt = 0; attempt < 5; attempt++) await logIn(401, 'wrong', address);
    await logIn(401, password, address);
  };

  test('are events when they fail and when they are blocked, and are listed with the network', async () => {
    assert.deepEqual(await locks(), []);
    await lockAlice();
    assert.deepEqual(await eventsOf('user.sign_in'), [
      ...Array.from({ length: 5 }, () => 'user.sign_in_failed'),
      'user.sign_in_locked',
    ]);
    const [lock, ...more] = await locks();
    assert.equal(more.length, 0);
    assert.deepEqual([lock!.kind, lock!.user?.email, lock!.network], ['sign_in', alice.email, '192.0.2.1']);
    assert.equal(Date.parse(lock!.until) - app.clock.now(), 15 * 60_000);
    await logIn(200, password, '192.0.2.2');
  });

  test('are unlocked by a System Administrator, which is an event', async () => {
    const [lock] = await locks();
    await alice.expect(403, 'listLocks');
    await alice.expect(403, 'removeLock', { params: { id: lock!.id } });
    await app.admin.expect(200, 'removeLock', { params: { id: lock!.id } });
    await app.admin.refused(404, 'lock.not_found', 'removeLock', { params: { id: lock!.id } });
    await logIn(200, password);
    assert.deepEqual([await eventsOf('user.unlocked'), await locks()], [['user.unlocked'], []]);
  });

  test('are unlocked by a new password that an administrator sets', async () => {
    await lockAlice('2001:db8::7');
    assert.equal((await locks())[0]!.network, '2001:db8:0:0::/64');
    const user = { password: 'another river under nine lamps' };
    await app.admin.expect(200, 'changeUser', { params: { id: alice.email }, body: { user } });
    assert.deepEqual(await locks(), []);
    const { body } = await logIn(401, user.password, '2001:db8::7');
    assert.equal((body as { code: string }).code, 'login.password_change');
  });

  test('of unknown names do not show what was entered', async () => {
    for (let attempt = 0; attempt < 6; attempt++) await logIn(401, 'x', '192.0.2.9', 'my-secret:pass');
    const { text } = await app.admin.expect(200, 'listLocks');
    assert.doesNotMatch(text, /secret|pass/);
    const [lock] = await locks();
    assert.deepEqual([lock!.user, lock!.network], [null, '192.0.2.9']);
  });

  test('of link passwords and of requests for new passwords are listed too, and can be unlocked', async () => {
    const { ctx } = app.app;
    const link = 'AAAAAAAAAAAAAAAAAAAAAA';
    const window_ends_at = app.clock.now() + 60_000;
    const named = { transfer_id: link, reference: 'K7QM-2XPD-94' };
    const counter = (limit: LimitName, subject: Subject, failures: number) =>
      counterOf(ctx, limit, subject, { failures, window_ends_at });
    const counters = [
      counter('linkPassword', { link, network: '192.0.2.7' }, 10),
      counter('linkPasswordByLink', { link }, 10),
      counter('resetByNetwork', { network: '192.0.2.8' }, 10),
      counter('resetByNetwork', { network: '192.0.2.5' }, 9),
    ];
    await ctx.db.write(async (tx) => {
      await tx.insertInto('transfer_references').values(named).execute();
      await tx.insertInto('attempts').values(counters).execute();
    });
    const found = (await locks()).filter(({ kind }) => kind === 'link_password' || kind === 'reset');
    assert.deepEqual(
      found.map(({ kind, link, network }) => [kind, link, network]),
      [
        ['link_password', named.reference, '192.0.2.7'],
        ['reset', null, '192.0.2.8'],
      ],
    );
    for (const { id } of found) await app.admin.expect(200, 'removeLock', { params: { id } });
    assert.ok((await locks()).every(({ kind }) => kind === 'sign_in'));
  });

  test('are listed from the failure on that locks them, and not before', async () => {
    const { ctx } = app.app;
    const limits = [
      ['sign_in', 'signIn', 5],
      ['sign_in_network', 'signInByNetwork', 30],
      ['slowed', 'signInByName', 50],
      ['second_step', 'secondStep', 5],
      ['password_again', 'passwordAgain', 5],
      ['link_password', 'linkPassword', 10],
      ['link_password', 'linkPasswordByLink', 100],
      ['reset', 'resetByNetwork', 10],
    ] as const;
    const subject = { name: 'someone', network: '192.0.2.40', account: 'someone', place: '', link: 'B'.repeat(22) };
    const before = await locks();
    for (const [kind, limit, most] of limits) {
      const failing = async (failures: number) => {
        const counter = counterOf(ctx, limit, subject, { failures, window_ends_at: app.clock.now() + 60_000 });
        await ctx.db.write(async (tx) => {
          await tx.deleteFrom('attempts').where('key', '=', counter.key).execute();
          await tx.insertInto('attempts').values(counter).execute();
        });
        const known = new Set(before.map(({ id }) => id));
        return (await locks()).filter(({ id }) => !known.has(id));
      };
      assert.deepEqual(await failing(most - 1), [], limit);
      const [lock, ...others] = await failing(most);
      assert.deepEqual([lock!.kind, lock!.failures, others.length], [kind, most, 0]);
      await app.admin.expect(200, 'removeLock', { params: { id: lock!.id } });
    }
  });

  test('are log lines when they fail, when they are locked and while they are locked, without what was entered', async (context) => {
    assertInside();
    const { email } = await app.person('carol', { password });
    const { body } = await app.admin.expect(200, 'getUser', { params: { id: email } });
    const { id } = wireForm(userEndpoints.getUser.answer, body).user;
    const { log } = app.app.ctx;
    const lines: [string, Record<string, unknown>, string][] = [];
    for (const level of ['info', 'warn'] as const)
      context.mock.method(log, level, (facts: Record<string, unknown>, text: string) =>
        lines.push([level, facts, text]),
      );
    for (let attempt = 0; attempt < 5; attempt++) await logIn(401, 'mistyped', '192.0.2.3', email);
    await logIn(401, password, '192.0.2.3', email);
    await logIn(401, 'mistyped', '192.0.2.3', 'unknown-here@example.com');
    const about = lines.filter(([, { network }]) => network === '192.0.2.3');
    assert.deepEqual(
      about.map(([level, { user, minutes }, text]) => [level, user, minutes, text]),
      [
        ...Array.from({ length: 4 }, () => ['info', id, undefined, 'a sign-in failed']),
        ['warn', id, 15, 'sign-in is locked after too many wrong passwords'],
        ['info', id, undefined, 'a sign-in was refused because it is locked'],
        ['info', 'unknown', undefined, 'a sign-in failed'],
      ],
    );
    assert.ok(about.every(([, { requestId }]) => typeof requestId === 'string'));
    assert.doesNotMatch(JSON.stringify(lines), /mistyped|unknown-here|river/);
  });

  test('programs that call with a key are listed by version with their refusals', async () => {
    const agent = { 'user-agent': 'waybill-cli/1.2.0 (linux)' };
    await alice.expect(200, 'getAccount', { headers: agent });
    await alice.expect(200, 'getAccount', { headers: agent });
    await alice.expect(403, 'listUsers', { headers: agent });
    await alice.expect(200, 'getAccount', { headers: { 'user-agent': 'waybill-cli/1.1.0' } });
    await alice.expect(403, 'listClients');
    const expected = [
      ['1.2.0', 3, [{ code: 'admin.not_permitted', calls: 1 }]],
      ['1.1.0', 1, []],
    ];
    // Counts of other processes arrive within seconds.
    await eventually('all calls are counted', async () => {
      const { body } = await app.admin.expect(200, 'listClients');
      const seen = wireForm(listClients.answer, body).clients.filter(({ client }) => client === 'waybill-cli');
      assert.deepEqual(
        seen.map(({ version, calls, errors }) => [version, calls, errors]),
        expected,
      );
      return true;
    });
  });

  const change = (networks: string[]) => ({ body: { security: { console_networks: networks } } });

  test("networks of the console: invalid ones and lists without the caller's address are refused", async () => {
    await app.admin.refused(422, 'security.bad_network', 'changeSecuritySettings', change(['10.0.0.0/99']));
    const refused = await app.admin.refused(422, 'security.lock_out', 'changeSecuritySettings', change(['10.0.0.0/8']));
    assert.match((refused.body as { errors: string[] }).errors[0]!, /^You would lock yourself out\./);
    await alice.expect(403, 'changeSecuritySettings', change([]));
  });

  test('networks of the console: administrators sign in from these only, and do everything else from anywhere', async () => {
    await app.admin.expect(200, 'changeSecuritySettings', change(['127.0.0.0/8', '10.0.0.0/8']));
    const { body } = await app.admin.expect(200, 'getSecuritySettings');
    assert.deepEqual(wireForm(getSecuritySettings.answer, body).security.console_networks, [
      '127.0.0.0/8',
      '10.0.0.0/8',
    ]);
    await app.admin.refused(403, 'security.wrong_network', 'listUsers', { headers: from('192.0.2.1') });
    await app.admin.expect(200, 'listUsers', { headers: from('10.2.3.4') });
    await app.admin.expect(200, 'getAccount', { headers: from('192.0.2.1') });
    await app.admin.expect(200, 'changeSecuritySettings', change([]));
    await app.admin.expect(200, 'listUsers', { headers: from('192.0.2.1') });
  });

  describe('networks of a group', () => {
    const inside = from('10.2.3.4');
    const outside = from('192.0.2.1');
    const policy = (id: string, allowed_networks: unknown) => ({
      params: { id },
      body: { group: { allowed_networks } },
    });

    test("that are invalid, or exclude the caller's address in the caller's own group, are refused", async () => {
      await app.admin.refused(422, 'group.bad_setting', 'changeGroup', policy('local-users', ['10.0.0.0/99']));
      await app.admin.refused(422, 'group.bad_setting', 'changeGroup', policy('local-users', 7));
      const refused = await app.admin.refused(
        422,
        'security.lock_out',
        'changeGroup',
        policy('system-administrators', ['10.0.0.0/8']),
      );
      assert.match((refused.body as { errors: string[] }).errors[0]!, /^You would lock yourself out\./);
      const own = policy('system-administrators', ['10.0.0.0/8']);
      await app.admin.expect(200, 'changeGroup', { ...own, headers: inside });
      await app.admin.refused(403, 'security.group_network', 'getAccount', {});
      await app.admin.expect(200, 'changeGroup', { ...policy('system-administrators', []), headers: inside });
    });

    test('admit people from these only: with a key, by password, and with an existing session', async () => {
      const login = (headers: Record<string, string>) =>
        app.anonymous.call('login', { body: { user: { email: bob.email, password } }, headers });
      const crew = await app.group('Crew');
      await app.admin.expect(200, 'changeUser', { params: { id: bob.email }, body: { user: { group: crew } } });
      const browser = await signIn(app, bob.email, password);
      await app.admin.expect(200, 'changeGroup', policy(crew, '10.0.0.0/8'));
      await bob.expect(200, 'getAccount', { headers: inside });
      await bob.refused(403, 'security.group_network', 'getAccount', { headers: outside });
      assert.equal((await login(inside)).status, 200);
      assertRefused(await login(outside), 403, 'security.group_network');
      await browser.expect(200, 'getAccount', { headers: inside });
      await browser.refused(403, 'security.group_network', 'getAccount', { headers: outside });
      const asksForPassword = async (headers: Record<string, string>) =>
        (await browser.fetch('/sign-in', { headers })).text.includes('name="password"');
      assert.deepEqual([await asksForPassword(inside), await asksForPassword(outside)], [false, true]);
    });

    test('keep people from moving themselves to a group that they could not use from their network', async () => {
      const id = await app.group('Office', { role: 'system_administrator', allowed_networks: ['10.0.0.0/8'] });
      const move = { params: { id: app.admin.email }, body: { user: { group: id } } };
      await app.admin.refused(422, 'security.lock_out', 'changeUser', move);
    });
  });
});
