// Synchronisation with OpenLDAP: who leaves, who returns, whose groups change, and when it stops.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findUserByEmail } from '#server/db/users/users.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import {
  groupDn,
  personDn,
  type Slapd,
  slapdAdmin,
  slapdBase,
  slapdEntries,
  slapdPassword,
  slapdPerson,
  slapdRequirement,
  startSlapd,
} from '#test/kit/servers/slapd.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const crowd = Array.from({ length: 20 }, (_, at) => `p${at}`);
const names = ['ann', 'ben', 'cat', 'dan', 'eve', 'gus', ...crowd];
const entry = (name: string) => ({ uid: name, mail: `${name}@example.com`, name, password: `${name} secret` });

if (!slapdRequirement.isMet()) test.skip('synchronisation with a directory needs slapd');
else
  onEachDatabase('Synchronisation with a directory', (start) => {
    let slapd: Slapd;
    const environment: Record<string, string> = {
      WAYBILL_ROLE: 'web',
      WAYBILL_MAIL_RATE: '0',
      WAYBILL_LDAP_URL: '',
      WAYBILL_LDAP_BIND_DN: slapdAdmin,
      WAYBILL_LDAP_BIND_PASSWORD: slapdPassword,
      WAYBILL_LDAP_BASE_DN: `ou=people,${slapdBase}`,
      WAYBILL_LDAP_GROUP_BASE_DN: `ou=groups,${slapdBase}`,
      WAYBILL_LDAP_PROVISION: 'all',
      WAYBILL_LDAP_SYNC: '10s',
    };
    before(async () => {
      slapd = await startSlapd(
        slapdEntries(names.map(entry), { helpers: [personDn('gus')], staff: [personDn('gus')] }),
      );
      environment.WAYBILL_LDAP_URL = slapd.url;
    });
    after(() => slapd?.remove());
    const mailbox = openMailbox();
    const app = useApp(start, { ...mailbox.options, environment });

    const login = async (name: string) => {
      const reply = await app.anonymous.call('login', { body: { user: { email: name, password: `${name} secret` } } });
      return { status: reply.status, key: (reply.body as { user?: { api_key: string } }).user?.api_key ?? '' };
    };
    const sync = async () => {
      app.clock.advance(10_000);
      return (await app.app.jobs.runOnce('sync-directories'))!;
    };
    const alerts = async () => {
      await app.app.jobs.runOnce('watch-health');
      return (await mailbox.post(app)).filter(({ kind }) => kind === 'admin-alert').map(({ text }) => text);
    };
    const permit = (status: number) => app.admin.expect(status, 'permitSync', { params: { id: 'ldap' } });
    const account = async (name: string) => (await findUserByEmail(app.app.ctx.db.read, `${name}@example.com`))!;
    const stateOf = async (name: string) => (await account(name)).state;
    const modify = (name: string, change: string) =>
      slapd.change(`dn: ${personDn(name)}\nchangetype: modify\n${change}\n`);
    const lock = (name: string) => modify(name, 'add: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z');
    const unlock = (name: string) => modify(name, 'delete: pwdAccountLockedTime');
    const remove = (name: string) => slapd.change(`dn: ${personDn(name)}\nchangetype: delete\n`);
    const actionsOf = async (name: string) => {
      const { id } = await account(name);
      const rows = await app.app.ctx.db.read
        .selectFrom('events')
        .select(['action', 'facts'])
        .where('object_id', '=', id)
        .orderBy('seq')
        .execute();
      return rows.map(({ action, facts }) => ({ action, facts: JSON.parse(facts) as Record<string, unknown> }));
    };
    const isKeyAccepted = async (key: string) => {
      const reply = await fetch(`${app.url}/account`, {
        headers: { accept: 'application/json', authorization: `Basic ${Buffer.from(`${key}:x`).toString('base64')}` },
      });
      return reply.status === 200;
    };

    test('ends keys and sessions of people who are disabled or deleted, and says why', async () => {
      const keys = [await login('ann'), await login('ben')];
      for (const { key } of keys) assert.ok(await isKeyAccepted(key));
      const browser = new Browser(app.url);
      await browser.submit('/sign-in', { email: 'ann', password: 'ann secret' });
      assert.equal((await browser.get('/app')).status, 200);
      await sync();
      assert.deepEqual([await stateOf('ann'), await stateOf('ben')], ['active', 'active']);
      lock('ann');
      remove('ben');
      assert.match(await sync(), /2 switched off/);
      assert.deepEqual([await stateOf('ann'), await stateOf('ben')], ['disabled', 'disabled']);
      for (const { key } of keys) assert.ok(!(await isKeyAccepted(key)));
      assert.equal((await browser.get('/app')).status, 303);
      const last = (await actionsOf('ben')).at(-1)!;
      assert.deepEqual(last, { action: 'user.disabled_by_service', facts: { service: 'ldap', reason: 'missing' } });
    });

    test('lets people back in who return, and no one whom an administrator switched off', async () => {
      await login('cat');
      const { id } = await account('cat');
      await app.admin.expect(200, 'changeUser', { params: { id }, body: { user: { disabled: true } } });
      unlock('ann');
      assert.match(await sync(), /1 switched on/);
      assert.deepEqual([await stateOf('ann'), await stateOf('cat')], ['active', 'disabled']);
      assert.equal((await login('ann')).status, 200);
    });

    test('switches off no one when the directory is down, refuses the search, or shows no people', async () => {
      await slapd.stop();
      assert.match(await sync(), /does not answer/);
      await slapd.start();
      const service = {
        id: 'second',
        kind: 'ldap',
        name: 'Second',
        url: slapd.url,
        bind_dn: slapdAdmin,
        bind_password: slapdPassword,
        base_dn: slapdBase,
        user_filter: '(uid=eve)',
        provision: 'all',
        sync: '10s',
      };
      await app.admin.expect(200, 'createSignInService', { body: { sign_in_service: service } });
      const { id } = await account('ann');
      const identity = { service: 'second', subject: 'was-there-once', reason: 'test' };
      await app.admin.expect(200, 'linkIdentity', { params: { id }, body: { identity } });
      const params = { id: 'second' };
      const change = (fields: object) =>
        app.admin.expect(200, 'changeSignInService', { params, body: { sign_in_service: fields } });
      await change({ user_filter: '(uid=nobody)' });
      assert.match(await sync(), /Second: the directory shows no people/);
      await change({ base_dn: 'dc=elsewhere' });
      assert.match(await sync(), /Second: the search failed/);
      await change({ base_dn: slapdBase, bind_password: 'wrong' });
      assert.match(await sync(), /Second: the server refused the searching account/);
      assert.equal(await stateOf('ann'), 'active');
      await app.admin.expect(200, 'deleteSignInService', { params });
    });

    test('moves people whose groups change, but no one whose group an administrator set', async () => {
      for (const name of ['dan', 'eve']) await login(name);
      await app.group('Staff', { match_groups: ['STAFF'] });
      await app.group('Special', {});
      const { id } = await account('eve');
      await app.admin.expect(200, 'changeUser', { params: { id }, body: { user: { group: 'special' } } });
      const members = ['dan', 'eve'].map((name) => `member: ${personDn(name)}`).join('\n');
      slapd.change(`dn: ${groupDn('staff')}\nchangetype: modify\nadd: member\n${members}\n`);
      assert.match(await sync(), /1 moved/);
      assert.deepEqual([(await account('dan')).groupId, (await account('eve')).groupId], ['staff', 'special']);
    });

    test('never switches off the last System Administrator', async () => {
      const params = { id: idOf(app.admin) };
      const identity = { service: 'ldap', subject: 'left-long-ago', reason: 'test' };
      const { body } = await app.admin.expect(200, 'linkIdentity', { params, body: { identity } });
      assert.match(await sync(), /the last System Administrator stays/);
      await app.admin.expect(200, 'listIdentities', { params });
      const linked = (body as { identity: { id: string } }).identity.id;
      await app.admin.expect(200, 'unlinkIdentity', { params: { ...params, identity: linked } });
    });

    test('renews keys and ends sessions where the rank rises', async () => {
      const { key } = await login('gus');
      const group = { params: { id: 'administrators' }, body: { group: { match_groups: ['helpers'] } } };
      await app.admin.expect(200, 'changeGroup', group);
      await sync();
      assert.notEqual((await account('gus')).groupId, 'local-users');
      assert.ok(!(await isKeyAccepted(key)), 'the key of the lower rank');
    });

    test('stops before many people are switched off, and waits for an administrator', async () => {
      for (const name of crowd) assert.equal((await login(name)).status, 200, name);
      await sync();
      await permit(409);
      assert.deepEqual(await alerts(), []);
      for (const name of crowd.slice(0, 6)) remove(name);
      assert.match(await sync(), /LDAP: stopped: 6 of 2\d people of LDAP would be switched off/);
      assert.equal(await stateOf('p0'), 'active');
      assert.match(await sync(), /stopped/);
      const { body } = await app.admin.expect(200, 'getOverview');
      assert.match(JSON.stringify(body), /"sync-stopped"[^}]*6 of 2\d people/);
      const [mail, ...more] = await alerts();
      assert.match(mail!.replace(/\s+/g, ' '), /6 of 2\d people of LDAP.*\/app\/admin\/sign-in-services/);
      assert.deepEqual([more, await alerts()], [[], []], 'one mail a day');
    });

    test('compares other directories while one is stopped', async () => {
      const fields = { bind_dn: slapdAdmin, bind_password: slapdPassword, base_dn: slapdBase, sync: '10s' };
      const other = { id: 'other', kind: 'ldap', name: 'Other', url: slapd.url, ...fields } as const;
      await app.admin.expect(200, 'createSignInService', { body: { sign_in_service: other } });
      assert.match(await sync(), /LDAP: stopped.*; Other: 0 switched off/);
      await app.admin.expect(200, 'deleteSignInService', { params: { id: 'other' } });
    });

    test('changes many people once an administrator permits it, and asks again for the next ones', async () => {
      await permit(200);
      await permit(409);
      assert.match(await sync(), /6 switched off/);
      assert.deepEqual(await alerts(), []);
      assert.deepEqual([await stateOf('p0'), await stateOf('p6')], ['disabled', 'active']);
      slapd.change(slapdPerson(entry('p0')).replace(/^(dn.*)$/m, '$1\nchangetype: add'));
      assert.match(await sync(), /0 switched off/, 'another person with the same name is not the one who left');
      assert.equal(await stateOf('p0'), 'disabled');
      for (const name of crowd.slice(6, 12)) remove(name);
      assert.match(await sync(), /stopped/);
    });
  });
