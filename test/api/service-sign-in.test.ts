import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInThroughService } from '#server/actions/identity/sign-in.ts';
import { openSessionFor } from '#server/actions/sessions/open-session.ts';
import { listIdentitiesOf } from '#server/db/identity/identities.ts';
import { listSignInAttempts } from '#server/db/identity/sign-in-attempts.ts';
import { findUser, findUserByEmail, updateUser } from '#server/db/users/users.ts';
import { type Caller, systemCaller } from '#server/domain/caller.ts';
import { Problem } from '#server/domain/problem.ts';
import { type Claims, readService, type SignInService } from '#server/domain/sign-in-service-fields.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('A sign-in through a service', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const caller: Caller = { ...systemCaller, from: { address: '192.0.2.7', agent: 'test', requestId: 'test' } };
  let numbers = 0;

  const service = (changes: Partial<SignInService> = {}): SignInService => ({
    ...readService('oidc', `service${++numbers}`, { issuer: 'https://id.example', client_id: 'waybill' }).service,
    provision: 'all',
    ...changes,
  });
  const claims = (name: string, changes: Partial<Claims> = {}): Claims => ({
    subject: `subject of ${name}`,
    address: `${name}@example.com`,
    isAddressVerified: true,
    name,
    groups: [],
    hasSecondStep: false,
    ...changes,
  });
  const signIn = async (at: SignInService, who: Claims): Promise<string> => {
    const { ctx } = app.app;
    const result = await signInThroughService(ctx, caller, { service: at, claims: who }, (tx, user, proof) =>
      openSessionFor(ctx, tx, caller, { user, proof, keep: false }),
    ).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      return { is: error.code };
    });
    return result.is;
  };
  const account = (name: string) => findUserByEmail(app.app.ctx.db.read, `${name}@example.com`);
  const eventsOf = async (userId: string) => {
    const rows = await app.app.ctx.db.read
      .selectFrom('events')
      .select('action')
      .where('owner_id', '=', userId)
      .orderBy('seq')
      .execute();
    return rows.map(({ action }) => action);
  };
  const matching = (name: string, groups: string[], more: Record<string, unknown> = {}) =>
    app.group(name, { match_groups: groups, ...more });

  test('is refused for people who may get no account', async () => {
    assert.equal(await signIn(service({ provision: 'none' }), claims('none')), 'sign_in.no_account');
    assert.equal(await signIn(service({ provision: 'matched' }), claims('unmatched')), 'sign_in.no_group');
    const absent = claims('absent', { groups: null });
    assert.equal(await signIn(service({ provision: 'matched' }), absent), 'sign_in.groups_absent');
    assert.equal(await signIn(service(), claims('mute', { address: null })), 'sign_in.no_address');
    assert.equal(await signIn(service(), claims('blank', { subject: '' })), 'sign_in.no_subject');
    for (const name of ['none', 'unmatched', 'absent', 'mute', 'blank']) assert.equal(await account(name), undefined);
  });

  test('creates an account in the group that the directory groups give, at the first sign-in', async () => {
    const group = await matching('Engineers', ['CN=Engineers,OU=Groups,DC=example']);
    await matching('Later', ['cn=engineers,ou=groups,dc=example']);
    const at = service({ provision: 'matched' });
    const who = claims('eva', { groups: ['cn=engineers,ou=groups,dc=EXAMPLE'] });
    assert.equal(await signIn(at, who), 'open');
    const user = (await account('eva'))!;
    assert.deepEqual([user.groupId, user.provenAddresses, user.passwordHash], [group, ['eva@example.com'], null]);
    assert.deepEqual(await eventsOf(user.id), ['user.provisioned', 'identity.linked', 'user.signed_in']);
    assert.equal(await signIn(at, who), 'open');
    assert.equal((await listIdentitiesOf(app.app.ctx.db.read, user.id)).length, 1);
  });

  test('leaves an address unconfirmed that the service does not vouch for', async () => {
    assert.equal(await signIn(service(), claims('ulla', { isAddressVerified: false })), 'open');
    assert.deepEqual((await account('ulla'))!.provenAddresses, []);
  });

  test('uses the default group of the service before the domain', async () => {
    const group = await app.group('Visitors of the service', {});
    await app.group('Of the domain', { match_domains: ['domain.example'] });
    const who = (name: string) => claims(name, { address: `${name}@domain.example` });
    assert.equal(await signIn(service({ defaultGroupId: group }), who('dora')), 'open');
    assert.equal((await findUserByEmail(app.app.ctx.db.read, 'dora@domain.example'))!.groupId, group);
    assert.equal(await signIn(service(), who('doris')), 'open');
    assert.equal((await findUserByEmail(app.app.ctx.db.read, 'doris@domain.example'))!.groupName, 'Of the domain');
  });

  test('changes no group for an absent claim, and the group for an empty one', async () => {
    const group = await matching('Absent and empty', ['staff']);
    const at = service();
    await signIn(at, claims('abe', { groups: ['Staff'] }));
    await signIn(at, claims('abe', { groups: null }));
    assert.equal((await account('abe'))!.groupId, group);
    await signIn(at, claims('abe', { groups: [] }));
    assert.equal((await account('abe'))!.groupId, 'local-users');
  });

  test('never changes a group that an administrator assigned', async () => {
    await matching('Would match', ['assigned']);
    const group = await app.group('By hand', {});
    const at = service();
    await signIn(at, claims('ines'));
    const user = (await account('ines'))!;
    await app.admin.expect(200, 'changeUser', { params: { id: user.id }, body: { user: { group } } });
    await signIn(at, claims('ines', { groups: ['assigned'] }));
    assert.equal((await account('ines'))!.groupId, group);
  });

  test('renews keys and ends sessions if the rank rises', async () => {
    const group = await matching('Raised', ['admins'], { role: 'administrator' });
    const at = service();
    await signIn(at, claims('rita'));
    const user = (await account('rita'))!;
    const keys = () => app.app.ctx.db.read.selectFrom('api_keys').select('id').where('user_id', '=', user.id).execute();
    const before = await keys();
    await signIn(at, claims('rita', { groups: ['admins'] }));
    assert.equal((await findUser(app.app.ctx.db.read, user.id))!.groupId, group);
    assert.notDeepEqual(await keys(), before);
    const sessions = await app.app.ctx.db.read
      .selectFrom('sessions')
      .select('user_id')
      .where('user_id', '=', user.id)
      .execute();
    assert.equal(sessions.length, 1);
    assert.ok((await eventsOf(user.id)).includes('user.group_mapped'));
  });

  test('asks for proof before it is linked to an existing account', async () => {
    const ann = await newPerson(app, 'ann');
    assert.equal(await signIn(service(), claims('ann')), 'prove');
    assert.deepEqual(await listIdentitiesOf(app.app.ctx.db.read, idOf(ann)), []);
  });

  test('is linked without proof only to a confirmed account of no administrator', async () => {
    const { ctx } = app.app;
    const people = { open: {}, unconfirmed: { provenAddresses: [] }, unverified: {}, high: {} };
    for (const [name, changes] of Object.entries(people)) {
      const person = await newPerson(app, name, name === 'high' ? { group: 'administrators' } : {});
      await ctx.db.write((tx) => updateUser(tx, idOf(person), changes, ctx.clock.now()));
    }
    const at = () => service({ link: 'verified' });
    assert.equal(await signIn(at(), claims('open')), 'open');
    assert.equal(await signIn(at(), claims('unconfirmed')), 'prove');
    assert.equal(await signIn(at(), claims('unverified', { isAddressVerified: false })), 'prove');
    assert.equal(await signIn(at(), claims('high')), 'prove');
  });

  test('does not give the account to another subject with its address', async () => {
    const at = service({ link: 'verified' });
    await signIn(at, claims('otto'));
    assert.equal(await signIn(at, claims('otto', { subject: 'another' })), 'sign_in.address_taken');
    await signIn(at, claims('otto', { address: 'moved@example.com' }));
    assert.equal(await account('moved'), undefined);
  });

  test('is refused for a disabled account, and the account stays disabled', async () => {
    const { ctx } = app.app;
    const at = service();
    await signIn(at, claims('dan'));
    const user = (await account('dan'))!;
    await ctx.db.write((tx) => updateUser(tx, user.id, { state: 'disabled' }, ctx.clock.now()));
    assert.equal(await signIn(at, claims('dan')), 'sign_in.disabled');
    assert.equal(await signIn(service(), claims('dan')), 'sign_in.disabled');
    assert.equal((await account('dan'))!.state, 'disabled');
  });

  test('is listed with masked claims and the reason, 20 for each service', async () => {
    const at = service({ provision: 'none' });
    for (let time = 0; time < 22; time++) await signIn(at, claims('mask', { groups: ['secret-group'] }));
    const attempts = await listSignInAttempts(app.app.ctx.db.read, at.id);
    assert.equal(attempts.length, 20);
    assert.equal(attempts[0]!.reason, 'sign_in.no_account');
    assert.doesNotMatch(JSON.stringify(attempts), /mask@|secret-group|subject of mask/);
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .select('facts')
      .where('object_id', '=', at.id)
      .execute();
    assert.equal(events.length, 22);
  });
});
