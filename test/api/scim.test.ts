import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findIdentity, listIdentitiesOf } from '#server/db/identity/identities.ts';
import type { EventKind } from '#server/domain/events.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { ScimClient, scimToken } from '#test/kit/scim-client.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const password = 'seven lamps under a quiet river';

onEachDatabase('SCIM', (start) => {
  const app = useApp(start, {
    environment: {
      WAYBILL_ROLE: 'web',
      WAYBILL_SCIM_TOKEN: scimToken,
      WAYBILL_OIDC_ISSUER: 'http://127.0.0.1:1',
      WAYBILL_OIDC_CLIENT_ID: 'waybill',
    },
  });
  let scim: ScimClient;
  before(() => {
    scim = new ScimClient(app);
  });
  const userOf = async (id: string) => {
    const query = app.app.ctx.db.read.selectFrom('users').selectAll().where('id', '=', id);
    return query.executeTakeFirstOrThrow();
  };
  const eventsOf = async (action: EventKind, ownerId = '') => {
    const query = app.app.ctx.db.read.selectFrom('events').select(['facts', 'owner_id']).where('action', '=', action);
    const rows = await query.orderBy('seq').execute();
    return ownerId === '' ? rows : rows.filter((row) => row.owner_id === ownerId);
  };

  test('refuses a missing and a wrong token in its own form', async () => {
    for (const token of ['wrong', '']) {
      const reply = await new ScimClient(app, token).send('GET', '/Users');
      assert.deepEqual([reply.status, reply.body.status], [401, '401']);
      assert.match(reply.headers.get('content-type') ?? '', /application\/scim\+json/);
    }
    const key = await new ScimClient(app, app.admin.key ?? '').send('GET', '/Users');
    assert.equal(key.status, 401, 'an API key is no token of SCIM');
  });

  test('refuses people without an address, unknown attributes, passwords and names that are taken', async () => {
    const refused = async (status: number, body: unknown) =>
      (await scim.expect(status, 'POST', '/Users', body)).scimType;
    assert.equal(await refused(400, { userName: 'no address' }), 'invalidValue');
    assert.equal(await refused(400, { emails: [{ value: 'a@example.com' }] }), 'invalidValue');
    assert.equal(await refused(400, { userName: 'p@example.com', password: 'x' }), 'mutability');
    assert.equal(await refused(400, { userName: 'p@example.com', colour: 'blue' }), 'invalidSyntax');
    assert.equal(await refused(400, { userName: 'p@example.com', active: 'perhaps' }), 'invalidValue');
    await scim.create('taken');
    assert.equal(await refused(409, { userName: 'TAKEN@example.com' }), 'uniqueness');
    const reply = await scim.send('POST', '/Users', undefined, { 'content-type': 'text/plain' });
    assert.equal(reply.status, 415);
  });

  test('creates people who are linked by externalId without proof', async () => {
    const made = await scim.create('first', { [enterprise]: { department: 'Sales' } });
    assert.deepEqual([made.userName, made.active, made.displayName], ['first@example.com', true, 'first Example']);
    assert.equal(made[enterprise].department, 'Sales');
    const identity = await findIdentity(app.app.ctx.db.read, 'oidc', 'oid-first');
    assert.deepEqual([identity?.userId, identity?.way], [made.id, 'scim']);
    assert.deepEqual(await scim.expect(200, 'GET', `/Users/${made.id}`), made);
    assert.equal((await userOf(made.id)).name, 'first Example');
    assert.equal((await eventsOf('user.provisioned', made.id)).length, 1);
  });

  test('does not link an account that has the address already', async () => {
    const person = await newPerson(app, 'earlier', { password });
    const made = await scim.create('earlier');
    assert.equal(made.id, idOf(person));
    const identities = await listIdentitiesOf(app.app.ctx.db.read, made.id);
    assert.deepEqual(
      identities.map(({ service }) => service),
      ['scim'],
    );
    const browser = new Browser(app.url);
    assert.equal((await browser.post('/sign-in', { email: person.email, password })).location, '/');
  });

  test('finds people as Entra and Okta search, in pages', async () => {
    for (const name of ['page1', 'page2', 'page3']) await scim.create(name);
    const find = async (filter: string, more = '') =>
      (await scim.expect(200, 'GET', `/Users?filter=${encodeURIComponent(filter)}${more}`)) as {
        totalResults: number;
        Resources: { userName: string }[];
      };
    assert.equal((await find('userName eq "nobody@example.com"')).totalResults, 0);
    assert.equal((await find('userName eq "PAGE1@example.com"')).Resources[0]!.userName, 'page1@example.com');
    assert.equal((await find('externalId eq "oid-page2"')).totalResults, 1);
    assert.equal((await find('externalId eq "OID-page2"')).totalResults, 0);
    assert.equal((await find('emails[type eq "work"].value eq "page3@example.com"')).totalResults, 1);
    const some = await find('userName sw "page" and not (externalId eq "oid-page1")', '&startIndex=2&count=1');
    assert.deepEqual([some.totalResults, some.Resources.length], [2, 1]);
    const page = await scim.expect(200, 'GET', '/Users?startIndex=2&count=1&attributes=userName');
    assert.equal(page.itemsPerPage, 1);
    assert.deepEqual(Object.keys(page.Resources[0]).toSorted(), ['id', 'schemas', 'userName']);
    for (const wrong of ['userName eq', 'userName eq "a', 'userName is "a"', '(userName pr', `${'('.repeat(50)}a pr`])
      assert.equal(
        (await scim.send('GET', `/Users?filter=${encodeURIComponent(wrong)}`)).body.scimType,
        'invalidFilter',
      );
  });

  test('changes people in the forms that Entra sends', async () => {
    const { id } = await scim.create('entra');
    const changed = await scim.patch(
      200,
      `/Users/${id}`,
      { op: 'Replace', path: 'displayName', value: 'Renamed' },
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'entra.new@example.com' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+49 1' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Sales' },
      { op: 'Add', path: `${enterprise}:manager`, value: 'boss' },
      { op: 'Replace', value: { 'name.givenName': 'New', [`${enterprise}:costCenter`]: '7' } },
    );
    assert.deepEqual(changed.phoneNumbers, [{ type: 'mobile', value: '+49 1' }]);
    assert.deepEqual(changed[enterprise], { department: 'Sales', manager: { value: 'boss' }, costCenter: '7' });
    assert.equal(changed.name.givenName, 'New');
    const { name, email } = await userOf(id);
    assert.deepEqual([name, email], ['Renamed', 'entra.new@example.com']);
    await scim.patch(200, `/Users/${id}`, { op: 'Remove', path: `${enterprise}:manager` });
    assert.equal(
      (await scim.patch(200, `/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })).active,
      false,
    );
    assert.equal((await userOf(id)).state, 'disabled');
    assert.equal(
      (await scim.patch(200, `/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' })).active,
      true,
    );
  });

  test('changes people in the forms that Okta sends', async () => {
    const made = await scim.create('okta');
    const { id } = made;
    await scim.patch(200, `/Users/${id}`, { op: 'replace', value: { active: false } });
    assert.equal((await userOf(id)).state, 'disabled');
    const put = { ...made, active: true, name: { givenName: 'O', familyName: 'K' }, displayName: 'O K', groups: [] };
    assert.equal((await scim.expect(200, 'PUT', `/Users/${id}`, put)).displayName, 'O K');
    assert.equal((await userOf(id)).state, 'active');
  });

  test('refuses changes it cannot make, and changes nothing then', async () => {
    const { id } = await scim.create('stays');
    const before = await scim.expect(200, 'GET', `/Users/${id}`);
    for (const operation of [
      { op: 'move', path: 'active' },
      { op: 'remove' },
      { op: 'replace', path: 'colour', value: 'blue' },
      { op: 'replace', path: 'emails[', value: 'x' },
      { op: 'replace', path: '__proto__.x', value: 'x' },
      { op: 'replace', path: 'userName', value: '' },
      { op: 'replace', path: 'emails.value', value: 'x@example.com' },
      { op: 'replace', path: 'password', value: 'x' },
      { op: 'replace', value: 'text' },
    ])
      await scim.patch(400, `/Users/${id}`, { op: 'replace', path: 'title', value: 'Lost' }, operation);
    await scim.patch(409, `/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value: 'taken@example.com' }] });
    await scim.patch(409, `/Users/${id}`, { op: 'replace', path: 'externalId', value: 'oid-taken' });
    await scim.expect(400, 'PATCH', `/Users/${id}`, { Operations: [] });
    assert.deepEqual(await scim.expect(200, 'GET', `/Users/${id}`), before);
    await scim.patch(404, `/Users/${'0'.repeat(22)}`, { op: 'replace', path: 'active', value: false });
  });

  test('refuses a change of a version that the client has not seen', async () => {
    const { id, meta } = await scim.create('versions');
    const send = (headers: Record<string, string>) =>
      scim.send('PATCH', `/Users/${id}`, { Operations: [{ op: 'add', path: 'title', value: 'T' }] }, headers);
    assert.equal((await send({ 'if-match': 'W/"9"' })).status, 412);
    const reply = await send({ 'if-match': meta.version });
    assert.deepEqual([reply.status, reply.headers.get('etag')], [200, 'W/"2"']);
    const unchanged = await scim.send('GET', `/Users/${id}`, undefined, { 'if-none-match': 'W/"2"' });
    assert.equal(unchanged.status, 304);
  });

  test('ends the access of a person who leaves, and lets them return', async () => {
    const person = await newPerson(app, 'leaver', { password });
    const { id } = await scim.create('leaver');
    const browser = new Browser(app.url);
    await browser.post('/sign-in', { email: person.email, password });
    assert.equal((await browser.get('/sign-in')).location, '/app');
    await scim.expect(204, 'DELETE', `/Users/${id}`);
    await scim.expect(404, 'GET', `/Users/${id}`);
    assert.equal((await person.call('getAccount')).status, 401);
    assert.equal((await browser.get('/sign-in')).location, null);
    assert.match(String((await eventsOf('user.disabled_by_service', id))[0]!.facts), /deleted/);
    assert.equal((await scim.create('leaver')).id, id);
    assert.equal((await person.call('getAccount')).status, 200);
  });

  test('does not switch on an account that an administrator switched off', async () => {
    const { id } = await scim.create('suspended');
    await app.admin.expect(200, 'changeUser', { params: { id }, body: { user: { disabled: true } } });
    await scim.patch(409, `/Users/${id}`, { op: 'replace', path: 'active', value: true });
    assert.equal((await userOf(id)).state, 'disabled');
  });

  test('never disables the last System Administrator, nor changes the address of an administrator', async () => {
    const administrators = app.app.ctx.db.read.selectFrom('users').select(['id', 'email']);
    const root = await administrators.where('group_id', '=', 'system-administrators').executeTakeFirstOrThrow();
    const [name] = root.email.split('@');
    const { id } = await scim.create(name!, {
      userName: root.email,
      emails: [{ value: root.email, primary: true }],
      externalId: 'oid-root',
    });
    assert.equal(id, root.id);
    await scim.patch(409, `/Users/${id}`, { op: 'replace', path: 'active', value: false });
    await scim.expect(409, 'DELETE', `/Users/${id}`);
    await scim.patch(409, `/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value: 'evil@example.com' }] });
    const { state, email } = await userOf(id);
    assert.deepEqual([state, email], ['active', root.email]);
    assert.ok((await eventsOf('scim.changed')).some(({ facts }) => /last System Administrator/.test(String(facts))));
  });

  test('moves members of groups, also of nested ones, unless an administrator chose their group', async () => {
    const sales = await app.group('Sales people');
    await app.admin.expect(200, 'changeGroup', {
      params: { id: sales },
      body: { group: { match_groups: ['Directory Sales'] } } as never,
    });
    const [one, two] = [await scim.create('member1'), await scim.create('member2')];
    const assigned = await newPerson(app, 'assigned', { group: await app.group('Chosen') });
    const three = await scim.create('assigned');
    const inner = await scim.group('Inner', [one.id]);
    const outer = await scim.group('Directory Sales');
    assert.equal((await userOf(one.id)).group_id, 'local-users');
    await scim.patch(200, `/Groups/${outer.id}`, { op: 'Add', path: 'members', value: [{ value: inner.id }] });
    assert.equal((await userOf(one.id)).group_id, sales);
    await scim.patch(200, `/Groups/${outer.id}`, {
      op: 'add',
      path: 'members',
      value: [{ value: two.id }, { value: three.id }],
    });
    assert.equal((await userOf(two.id)).group_id, sales);
    assert.notEqual((await userOf(idOf(assigned))).group_id, sales);
    const shown = await scim.expect(200, 'GET', `/Users/${two.id}`);
    assert.deepEqual(
      shown.groups.map(({ display }: { display: string }) => display),
      ['Directory Sales'],
    );
    await scim.patch(200, `/Groups/${outer.id}`, { op: 'remove', path: `members[value eq "${two.id}"]` });
    assert.equal((await userOf(two.id)).group_id, 'local-users');
    await scim.patch(200, `/Groups/${outer.id}`, { op: 'Remove', path: 'members', value: [{ value: inner.id }] });
    assert.equal((await userOf(one.id)).group_id, 'local-users');
    await scim.patch(400, `/Groups/${outer.id}`, { op: 'add', path: 'members', value: [{ value: 'nobody' }] });
    await scim.expect(409, 'POST', '/Groups', { displayName: 'directory sales' });
    const okta = await scim.patch(200, `/Groups/${outer.id}`, {
      op: 'replace',
      value: { id: outer.id, displayName: 'Directory Sales 2' },
    });
    assert.equal(okta.displayName, 'Directory Sales 2');
    const found = await scim.expect(
      200,
      'GET',
      `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "Directory Sales 2"')}`,
    );
    assert.deepEqual([found.totalResults, found.Resources[0].members], [1, undefined]);
    await scim.expect(204, 'DELETE', `/Groups/${outer.id}`);
    await scim.expect(404, 'GET', `/Groups/${outer.id}`);
  });

  test('describes itself', async () => {
    const config = await scim.expect(200, 'GET', '/ServiceProviderConfig');
    assert.deepEqual([config.patch.supported, config.bulk.supported, config.etag.supported], [true, false, true]);
    assert.equal((await scim.expect(200, 'GET', '/ResourceTypes')).totalResults, 2);
    const { id } = (await scim.expect(200, 'GET', '/Schemas')).Resources[0];
    assert.equal((await scim.expect(200, 'GET', `/Schemas/${id}`)).name, 'User');
    await scim.expect(404, 'GET', '/Schemas/other');
  });
});

onEachDatabase('A SCIM client that disables many people', (start) => {
  const mailbox = openMailbox();
  const environment = { ...mailbox.options.environment, WAYBILL_SCIM_TOKEN: scimToken };
  const app = useApp(start, { ...mailbox.options, environment });
  const alerts = async () => {
    await app.app.jobs.runOnce('watch-health');
    return (await mailbox.post(app)).filter(({ kind }) => kind === 'admin-alert').map(({ text }) => text);
  };
  const isShown = async () => /sync-stopped/.test(JSON.stringify((await app.admin.expect(200, 'getOverview')).body));

  test('is stopped until an administrator permits it', async () => {
    const scim = new ScimClient(app);
    const ids: string[] = [];
    for (let count = 0; count < 8; count++) ids.push((await scim.create(`mass${count}`)).id);
    const off = (id: string) =>
      scim.send('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] });
    for (const id of ids.slice(0, 5)) assert.equal((await off(id)).status, 200);
    const stopped = await off(ids[5]!);
    assert.deepEqual([stopped.status, stopped.headers.get('retry-after')], [503, '3600']);
    assert.equal((await scim.expect(200, 'GET', `/Users/${ids[5]}`)).active, true);
    const [mail, ...more] = await alerts();
    assert.match(mail!.replace(/\s+/g, ' '), /SCIM would disable or move 6 of 8 people/);
    assert.deepEqual([more, await isShown()], [[], true]);
    await app.admin.expect(200, 'permitScimChange');
    assert.deepEqual([await alerts(), await isShown()], [[], false]);
    assert.equal((await off(ids[5]!)).status, 200);
    assert.equal((await off(ids[6]!)).status, 200);
    app.clock.advance(25 * 3_600_000);
    const others: string[] = [];
    for (let count = 0; count < 7; count++) others.push((await scim.create(`more${count}`)).id);
    for (const id of others.slice(0, 5)) assert.equal((await off(id)).status, 200);
    assert.equal((await off(others[5]!)).status, 503);
    assert.ok(await isShown());
    app.clock.advance(25 * 3_600_000);
    assert.equal(await isShown(), false, 'the client has given up');
  });
});
