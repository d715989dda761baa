import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rescueUser } from '#server/actions/identity/password-sign-in.ts';
import { insertIdentity } from '#server/db/identity/identities.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const fields = { kind: 'oidc', name: 'Northlight ID', issuer: 'https://id.example', client_id: 'waybill' } as const;

onEachDatabase('Sign-in services', (start) => {
  const app = useApp(start, {
    environment: {
      WAYBILL_ROLE: 'web',
      WAYBILL_LDAP_URL: 'ldaps://ldap.example',
      WAYBILL_LDAP_BASE_DN: 'dc=example',
      WAYBILL_LDAP_BIND_PASSWORD: 'from the environment',
    },
  });
  const create = async (service: Record<string, unknown>) => {
    const { body } = await app.admin.expect(200, 'createSignInService', {
      body: { sign_in_service: { ...fields, ...service } as never },
    });
    return (body as { sign_in_service: Record<string, unknown> }).sign_in_service;
  };
  const refusal = async (service: Record<string, unknown>) => {
    const { body } = await app.admin.expect(422, 'createSignInService', {
      body: { sign_in_service: service as never },
    });
    return JSON.stringify(body);
  };

  test('need an issuer, known choices and protected addresses', async () => {
    assert.match(await refusal({ ...fields, issuer: '' }), /Fill in this field/);
    assert.match(await refusal({ ...fields, issuer: 'http://id.example' }), /https/);
    assert.match(await refusal({ ...fields, provision: 'some' }), /offered values/);
    assert.match(await refusal({ ...fields, colour: 'blue' }), /no field of this kind/);
    assert.match(await refusal({ ...fields, id: 'ldap' }), /already/);
  });

  test('never return a secret, and keep one that is left out', async () => {
    const made = await create({ id: 'secretive', client_secret: 'very secret' });
    assert.deepEqual(made.secrets, ['client_secret']);
    const { body } = await app.admin.expect(200, 'changeSignInService', {
      params: { id: 'secretive' },
      body: { sign_in_service: { ...made, name: 'Another name' } as never },
    });
    assert.deepEqual((body as typeof made & { sign_in_service: object }).sign_in_service, {
      ...made,
      name: 'Another name',
    });
    const { body: all } = await app.admin.expect(200, 'listSignInServices');
    assert.doesNotMatch(JSON.stringify(all), /very secret|from the environment/);
  });

  test('forget the secret when the issuer changes', async () => {
    await create({ id: 'moving', client_secret: 'very secret' });
    const { body } = await app.admin.expect(200, 'changeSignInService', {
      params: { id: 'moving' },
      body: { sign_in_service: { issuer: 'https://other.example' } },
    });
    assert.deepEqual((body as { sign_in_service: { secrets: string[] } }).sign_in_service.secrets, []);
  });

  test('of the environment are shown and cannot be changed', async () => {
    const { body } = await app.admin.expect(200, 'getSignInService', { params: { id: 'ldap' } });
    const shown = (body as { sign_in_service: Record<string, unknown> }).sign_in_service;
    assert.deepEqual([shown.source, shown.url], ['environment', 'ldaps://ldap.example']);
    await app.admin.expect(409, 'changeSignInService', {
      params: { id: 'ldap' },
      body: { sign_in_service: { name: 'x' } },
    });
    await app.admin.expect(409, 'deleteSignInService', { params: { id: 'ldap' } });
  });

  test('are on the sign-in page while they are enabled', async () => {
    await create({ id: 'shown', name: 'Shown' });
    const words = async () => (await new Browser(app.url).get('/sign-in')).words;
    assert.match(await words(), /Sign in with Shown/);
    await app.admin.expect(200, 'changeSignInService', {
      params: { id: 'shown' },
      body: { sign_in_service: { enabled: false } },
    });
    assert.doesNotMatch(await words(), /Sign in with Shown/);
    assert.equal((await new Browser(app.url).get('/sign-in/oidc/shown')).status, 404);
    await app.admin.expect(200, 'deleteSignInService', { params: { id: 'shown' } });
    await app.admin.expect(404, 'getSignInService', { params: { id: 'shown' } });
  });

  test('name the step that failed when they are tested', async () => {
    await create({ id: 'away', issuer: 'http://127.0.0.1:1' });
    const { body } = await app.admin.expect(200, 'testSignInService', { params: { id: 'away' } });
    const { id, failed, url } = (body as { test: { id: string; failed: string; url: string } }).test;
    assert.match(failed, /ECONNREFUSED|fetch|connect/i);
    assert.equal(url, `${app.url}/sign-in/oidc/away?test=${id}`);
  });

  test('can be linked to a person by hand, once, with a reason', async () => {
    const person = await newPerson(app, 'hanna');
    const id = idOf(person);
    const identity = { service: 'ldap', subject: 'uuid-1', reason: 'moved to the directory' };
    const { body } = await app.admin.expect(200, 'linkIdentity', { params: { id }, body: { identity } });
    const linked = (body as { identity: { id: string; way: string } }).identity;
    assert.equal(linked.way, 'administrator');
    await app.admin.expect(422, 'linkIdentity', { params: { id }, body: { identity } });
    await app.admin.expect(200, 'unlinkIdentity', { params: { id, identity: linked.id } });
    const { body: left } = await app.admin.expect(200, 'listIdentities', { params: { id } });
    assert.deepEqual(left, { identities: [] });
  });

  test('replace passwords only once a System Administrator has signed in through one', async () => {
    const password = 'seven lamps under a quiet river';
    const person = await newPerson(app, 'paula', { password });
    const off = { body: { password_sign_in: { enabled: false } } };
    await app.admin.expect(422, 'changePasswordSignIn', off);
    const { ctx } = app.app;
    const administrator = await ctx.db.read
      .selectFrom('users')
      .select('id')
      .where('group_id', '=', 'system-administrators')
      .executeTakeFirstOrThrow();
    const now = ctx.clock.now();
    const identity = { id: 'identity', service: 'ldap', subject: 'root', userId: administrator.id } as const;
    await ctx.db.write((tx) =>
      insertIdentity(tx, {
        ...identity,
        way: 'password',
        directoryGroups: null,
        createdAt: now,
        lastUsedAt: now,
        disabledAt: null,
      }),
    );
    await app.admin.expect(200, 'changePasswordSignIn', off);
    const reply = await new Browser(app.url).submit('/sign-in', { email: person.email, password });
    assert.match(reply.words, /Passwords are switched off/);
    await rescueUser(ctx, idOf(person));
    assert.equal((await new Browser(app.url).post('/sign-in', { email: person.email, password })).location, '/');
    await app.admin.expect(200, 'changePasswordSignIn', { body: { password_sign_in: { enabled: true } } });
    assert.equal((await new Browser(app.url).post('/sign-in', { email: person.email, password })).location, '/');
  });
});
