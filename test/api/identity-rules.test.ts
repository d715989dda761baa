// The rules on who may sign in, and as whom, hold for every kind of sign-in service.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { listIdentitiesOf } from '#server/db/identity/identities.ts';
import { findUserByEmail, updateUser } from '#server/db/users/users.ts';
import { forgetOidcMetadata } from '#server/lib/oidc.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import {
  type DirectoryPerson,
  type Kind,
  ldapKind,
  openIdKind,
  outcomeOf,
  samlKind,
} from '#test/kit/identity-kinds.ts';
import { startOpenIdProvider } from '#test/kit/openid-provider.ts';
import { createTestProvider } from '#test/kit/saml-answers.ts';
import { type Slapd, slapdAdmin, slapdEntries, slapdRequirement, startSlapd } from '#test/kit/servers/slapd.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';
const openId = await startOpenIdProvider();
after(() => openId.close());
const provider = await createTestProvider();
const kinds: Kind['kind'][] = ['oidc', 'saml', ...(slapdRequirement.isMet() ? (['ldap'] as const) : [])];

onEachDatabase('Every kind of sign-in service', (start) => {
  let slapd: Slapd | null = null;
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const drivers = new Map<Kind['kind'], Kind>();
  before(async () => {
    forgetOidcMetadata();
    const groups = Object.fromEntries(['staff', 'two', 'accepted'].map((name) => [name, [slapdAdmin]]));
    if (kinds.includes('ldap')) slapd = await startSlapd(slapdEntries([], groups));
    for (const one of [openIdKind(openId), samlKind(app, provider), ...(slapd === null ? [] : [ldapKind(slapd)])]) {
      drivers.set(one.kind, one);
      const service = { id: one.kind, kind: one.kind, name: 'Northlight', ...one.fields };
      await app.admin.expect(200, 'createSignInService', { body: { sign_in_service: service } });
    }
    await app.group('Staff', { match_groups: ['staff'] });
    const isRequired = { require_second_factor: 'required' };
    await app.group('Two', { match_groups: ['two'], ...isRequired });
    await app.group('Accepted', { match_groups: ['accepted'], ...isRequired, second_factor_by_service: true });
  });
  after(() => slapd?.remove());

  let numbers = 0;
  beforeEach(() => app.clock.advance(3_600_000));
  const db = () => app.app.ctx.db.read;
  const account = ({ email }: DirectoryPerson) => findUserByEmail(db(), email);

  for (const kind of kinds) {
    const set = (fields: Record<string, string>) =>
      app.admin.expect(200, 'changeSignInService', {
        params: { id: kind },
        body: {
          sign_in_service: {
            ...{ provision: 'all', link: 'prove', second_step: 'off', default_group: '' },
            ...{ addresses_verified: kind === 'oidc' ? 'claim' : 'true', ...fields },
          },
        },
      });
    const person = (changes: Partial<DirectoryPerson> = {}): DirectoryPerson => {
      const subject = `${kind}${++numbers}`;
      return { subject, email: `${subject}@example.com`, groups: [], ...changes };
    };
    const signIn = async (who: DirectoryPerson, browser = new Browser(app.url)) => {
      app.clock.advance(1000);
      const reply = await drivers.get(kind)!.signIn(browser, who);
      return { outcome: await outcomeOf(app, { kind }), location: reply.location, browser };
    };
    const outcome = async (who: DirectoryPerson) => (await signIn(who)).outcome;
    const existing = async (changes: Parameters<typeof newPerson>[2] = {}) => {
      const who = person();
      return { who, client: await newPerson(app, who.subject, { password, ...changes }) };
    };
    const saysGroups = kind !== 'ldap';

    test(`${kind}: nobody, people in matching groups, or everyone gets an account`, async () => {
      await set({ provision: 'none' });
      const refused = [person(), person(), person({ groups: null }), person({ groups: null, hasTooManyGroups: true })];
      assert.equal(await outcome(refused[0]!), 'sign_in.no_account');
      await set({ provision: 'matched' });
      assert.equal(await outcome(refused[1]!), 'sign_in.no_group');
      if (saysGroups) assert.equal(await outcome(refused[2]!), 'sign_in.groups_absent');
      if (saysGroups) assert.equal(await outcome(refused[3]!), 'sign_in.groups_overage');
      for (const who of refused) assert.equal(await account(who), undefined);
      const member = person({ groups: ['staff'] });
      assert.equal(await outcome(member), 'open');
      assert.equal((await account(member))!.groupName, 'Staff');
      await set({});
      const anyone = person();
      assert.equal(await outcome(anyone), 'open');
      assert.equal((await account(anyone))!.groupId, 'local-users');
    });

    test(`${kind}: an absent claim changes no group, an empty one does, and a group set by hand stays`, async () => {
      await set({});
      const who = person({ groups: ['staff'] });
      await signIn(who);
      if (saysGroups) {
        assert.equal(await outcome({ ...who, groups: null }), 'open');
        assert.equal(await outcome({ ...who, groups: null, hasTooManyGroups: true }), 'open');
        assert.equal((await account(who))!.groupName, 'Staff');
      }
      assert.equal(await outcome({ ...who, groups: [] }), 'open');
      assert.equal((await account(who))!.groupId, 'local-users');
      const { id } = (await account(who))!;
      await app.admin.expect(200, 'changeUser', { params: { id }, body: { user: { group: 'two' } } });
      await signIn({ ...who, groups: ['staff'] });
      assert.equal((await account(who))!.groupName, 'Two');
    });

    test(`${kind}: an existing account is linked once its owner enters the old password`, async () => {
      await set({});
      const { who, client } = await existing();
      const { browser, outcome: first, location } = await signIn(who);
      assert.deepEqual([first, location], ['prove', '/sign-in/link']);
      assert.equal((await browser.get('/app')).status, 303);
      assert.deepEqual(await listIdentitiesOf(db(), idOf(client)), []);
      const wrong = await browser.submit('/sign-in/link', { way: 'password', password: 'wrong' });
      assert.match(wrong.words, /don’t match/);
      await browser.post('/sign-in/link', { way: 'password', password });
      assert.equal(await outcome(who), 'open');
      assert.equal((await listIdentitiesOf(db(), idOf(client)))[0]!.way, 'password');
      assert.equal((await account(who))!.id, idOf(client));
    });

    test(`${kind}: an account that somebody registered in advance is never a way in`, async () => {
      const { who, client } = await existing();
      const { ctx } = app.app;
      await ctx.db.write((tx) => updateUser(tx, idOf(client), { provenAddresses: [] }, ctx.clock.now()));
      for (const link of ['prove', 'verified']) {
        await set({ link });
        const { browser, outcome: found } = await signIn(who);
        assert.equal(found, 'prove', link);
        const reply = await browser.submit('/sign-in/link', { way: 'password', password });
        assert.match(reply.words, /Use the code that is e-mailed to you/, link);
      }
      assert.deepEqual(await listIdentitiesOf(db(), idOf(client)), []);
    });

    test(`${kind}: links without proof only if it vouches for the address, and never an administrator`, async () => {
      await set({ link: 'verified' });
      const [plain, high] = [await existing(), await existing({ group: 'administrators' })];
      assert.equal(await outcome(high.who), 'prove');
      assert.equal(await outcome(plain.who), 'open');
      assert.equal((await listIdentitiesOf(db(), idOf(plain.client)))[0]!.way, 'verified');
      await set({ link: 'verified', addresses_verified: 'false' });
      assert.equal(await outcome((await existing()).who), 'prove');
    });

    test(`${kind}: an address that it does not vouch for stays unconfirmed`, async () => {
      await set({ addresses_verified: 'false' });
      const who = person();
      assert.equal(await outcome(who), 'open');
      assert.deepEqual((await account(who))!.provenAddresses, []);
    });

    test(`${kind}: an address that moves to another person does not carry the account with it`, async () => {
      await set({ link: 'verified' });
      const who = person();
      await signIn(who);
      const other = person({ email: who.email });
      assert.equal(await outcome(other), 'sign_in.address_taken');
      const moved = { ...who, email: `moved.${who.email}` };
      const { id } = (await account(who))!;
      assert.equal(await outcome(moved), 'open');
      assert.equal((await account(who))!.id, id, 'the account keeps its address');
      assert.equal(await account(moved), undefined);
    });

    test(`${kind}: its second step counts only if the service says so and the group accepts it`, async () => {
      const steps = async (second_step: string, group: string) => {
        await set({ second_step });
        const { browser, outcome: found } = await signIn(person({ groups: [group], hasSecondStep: true }));
        assert.equal(found, 'open');
        return (await browser.get('/app')).status === 200;
      };
      assert.equal(await steps('off', 'accepted'), false);
      assert.equal(await steps('on', 'two'), false);
      assert.equal(await steps('on', 'accepted'), kind !== 'ldap', 'a directory checks passwords only');
    });

    test(`${kind}: after a sign-out nothing signs in again by itself`, async () => {
      await set({});
      const { browser } = await signIn(person());
      const page = await browser.get('/sign-out');
      const out = await browser.submit('/sign-out', { csrf: Browser.hidden(page, 'csrf') });
      assert.equal(out.location, '/sign-out');
      for (const path of ['/sign-out', '/sign-in']) assert.equal((await browser.get(path)).status, 200);
      assert.equal((await browser.get('/app')).location, '/sign-in?to=%2Fapp');
    });

    test(`${kind}: POST /login gives a key to people of a directory, and tells others where theirs is`, async () => {
      await set({});
      const who = person();
      await signIn(who);
      const login = (email: string, secret: string) =>
        app.anonymous.call('login', { body: { user: { email, password: secret } } });
      if (kind === 'ldap') {
        assert.equal((await login(who.subject, `${who.subject} secret`)).status, 200);
        const { who: taken } = await existing();
        await signIn(taken);
        const proof = await login(taken.subject, `${taken.subject} secret`);
        assert.deepEqual([proof.status, (proof.body as { code: string }).code], [422, 'sign_in.proof_needed']);
        return;
      }
      const unknown = await login('nobody@example.com', 'x');
      const known = await login(who.email, 'x');
      for (const { status, body } of [unknown, known]) {
        assert.deepEqual([status, (body as { code: string }).code], [422, 'login.wrong_or_service']);
        assert.match(JSON.stringify(body), /account page, or with waybill login/);
      }
    });
  }

  test('with passwords off, local passwords are refused everywhere and those of a directory are not', async () => {
    const kind = kinds.at(-1)!;
    const client = await newPerson(app, 'local', { password });
    const { email } = client;
    const admins = { params: { id: 'system-administrators' }, body: { group: { match_groups: ['accepted'] } } };
    const off = { body: { password_sign_in: { enabled: false } } };
    await app.admin.expect(422, 'changePasswordSignIn', off);
    await app.admin.expect(200, 'changeGroup', admins);
    const root = { subject: 'root1', email: 'root1@example.com', groups: ['accepted'], hasSecondStep: true };
    await drivers.get(kind)!.signIn(new Browser(app.url), root);
    assert.equal((await findUserByEmail(db(), root.email))!.role, 'system_administrator');
    await app.admin.expect(200, 'changePasswordSignIn', off);
    const page = await new Browser(app.url).submit('/sign-in', { email, password });
    assert.match(page.words, /Passwords are switched off here/);
    await app.anonymous.refused(422, 'login.password_off', 'login', { body: { user: { email, password } } });
    assert.equal((await client.call('getAccount')).status, 200, 'keys stay');
    app.clock.advance(1000);
    const person = { subject: 'later1', email: 'later1@example.com', groups: [] };
    await drivers.get(kind)!.signIn(new Browser(app.url), person);
    assert.equal(await outcomeOf(app, { kind }), 'open');
    await app.admin.expect(200, 'changeSignInService', {
      params: { id: kind },
      body: { sign_in_service: { enabled: false } },
    });
    const again = await new Browser(app.url).post('/sign-in', { email, password });
    assert.equal(again.location, '/', 'no one is locked out when the service is switched off');
  });
});
