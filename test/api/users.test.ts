import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { takeAttemptIn } from '#server/actions/attempts.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { ApiClient, assertRefused, type Reply } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { beyondBuffersBytes, isBehindNginx } from '#test/kit/outside.ts';
import { openSlowly, rawRequest } from '#test/kit/raw-requests.ts';
import { idOf, keyOf, newPerson, share } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';

const password = 'grey otters under a paper moon';
type UserBody = Record<string, unknown> & { id: string; email: string };

const userOf = (reply: Reply) => (reply.body as { user: UserBody }).user;
const fieldOf = (reply: Reply) => (reply.body as { field?: string }).field;

onEachDatabase('administration of people', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  let boss: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
  });

  const create = (user: unknown, as = app.admin) => as.call('createUser', { body: { user } });
  const change = (id: string, user: unknown, as = app.admin) =>
    as.call('changeUser', { params: { id }, body: { user } });
  const get = async (id: string) => userOf(await app.admin.expect(200, 'getUser', { params: { id } }));

  describe('for users without administrator rights', () => {
    testOnce('every call is 401 without a key and 403 with one, also on oneself', async () => {
      for (const [client, status] of [
        [app.anonymous, 401],
        [alice, 403],
      ] as const) {
        for (const id of [idOf(alice), 'unknown', 'root-example-com']) {
          await client.expect(status, 'getUser', { params: { id } });
          await client.expect(status, 'changeUser', { params: { id }, body: { user: { name: 'x' } } });
          await client.expect(status, 'deleteUser', { params: { id } });
        }
        await client.expect(status, 'listUsers');
        await client.expect(status, 'createUser', { body: { user: { email: 'x@example.com' } } });
      }
      assert.equal((await get(idOf(alice))).name, 'alice');
    });
  });

  describe('inviting, for people whose group permits it', () => {
    let ivy: ApiClient;
    before(async () => {
      const group = await app.group('Inviters', { can_invite_users: true });
      ivy = await newPerson(app, 'ivy', { group });
    });
    const guest = (name: string) => ({ email: `${name}@harbour.example`, invite: true });

    testOnce('is refused to all others, and permits nothing more', async () => {
      assertRefused(await create(guest('no1'), alice), 403, 'admin.not_permitted');
      for (const more of [
        { invite: false },
        { password },
        { disabled: true },
        { sender_aliases: ['root@example.com'] },
        { recipient_aliases: 'root@example.com' },
        { default_sender_alias: 'root@example.com' },
      ])
        assertRefused(await create({ ...guest('no2'), ...more }, ivy), 403, 'admin.not_permitted');
      await ivy.expect(403, 'listUsers');
    });

    testOnce('is limited to groups below their own rank', async () => {
      for (const group of ['local-users', 'administrators', 'system-administrators'])
        assertRefused(await create({ ...guest('no3'), group }, ivy), 403, 'user.group_not_permitted');
      const outside = await app.admin.expect(200, 'createGroup', {
        body: { group: { name: 'Inviting guests', is_local: false, can_invite_users: true } },
      });
      const { id } = (outside.body as { group: { id: string } }).group;
      const olga = await newPerson(app, 'olga', { group: id });
      assertRefused(await create(guest('no4'), olga), 403, 'user.group_not_permitted');
    });

    testOnce('is limited to exactly 50 an hour', async () => {
      const max = await newPerson(app, 'max', { group: await app.group('More inviters', { can_invite_users: true }) });
      const { ctx } = app.app;
      // The first one begins the hour, so it is a real one.
      await max.expect(200, 'createUser', { body: { user: guest('first') } });
      await ctx.db.write(async (tx) => {
        for (let count = 1; count < 49; count++) await takeAttemptIn(ctx, tx, ['invitations'], { account: idOf(max) });
      });
      await max.expect(200, 'createUser', { body: { user: guest('fiftieth') } });
      const refused = await max.refused(429, 'user.invitation_limit', 'createUser', { body: { user: guest('next') } });
      assert.equal(refused.headers.get('retry-after'), '3600');
      app.clock.advance(3_600_000 - 1);
      await max.refused(429, 'user.invitation_limit', 'createUser', { body: { user: guest('next') } });
      app.clock.advance(1);
      await max.expect(200, 'createUser', { body: { user: guest('next') } });
    });

    test('creates an account for an outside person, who gets a mail', async () => {
      const user = userOf(await ivy.expect(200, 'createUser', { body: { user: guest('gus') } }));
      assert.deepEqual([user.group, user.is_local, user.role], ['external-users', false, 'user']);
      const mails = await app.app.ctx.db.read
        .selectFrom('outbox')
        .select(['kind', 'owner_id'])
        .where('recipient', '=', 'gus@harbour.example')
        .execute();
      assert.deepEqual(mails, [{ kind: 'invitation', owner_id: idOf(ivy) }]);
    });
  });

  describe('adding', () => {
    testOnce('requires an address, and says what one looks like', async () => {
      for (const user of [{}, { email: null }, { email: '' }, { email: 'no address' }, { email: 'a@b@example.com' }]) {
        const reply = await create(user);
        assertRefused(reply, 422, 'user.bad_email');
        assert.equal(fieldOf(reply), 'email');
      }
      for (const email of ['a b@example.com', 'a@example.com\r\nBcc: x@example.com', '"a"@example.com', 'a@127.0.0.1'])
        assertRefused(await create({ email }), 422, 'user.bad_email');
    });

    test('accepts each address once, whatever its case', async () => {
      const reply = await create({ email: 'ALICE@Example.com' });
      assertRefused(reply, 422, 'user.email_taken');
      assert.equal(fieldOf(reply), 'email');
    });

    test('accepts one of many concurrent additions of the same address', async () => {
      const replies = await Promise.all(Array.from({ length: 6 }, () => create({ email: 'race@example.com' })));
      assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 422, 422, 422, 422, 422]);
    });

    testOnce('refuses an unknown group, a bad name and a weak password, each with its field', async () => {
      const unknown = await create({ email: 'x1@example.com', group: 'no-such-group' });
      assertRefused(unknown, 422, 'user.unknown_group');
      assert.equal(fieldOf(unknown), 'group');
      for (const name of ['two\nlines', 'x'.repeat(201), 'tab\tbed']) {
        const reply = await create({ email: 'x1@example.com', name });
        assertRefused(reply, 422, 'user.bad_name');
        assert.equal(fieldOf(reply), 'name');
      }
      for (const [weak, code] of [
        ['tiny one', 'password.too_short'],
        ['password1234', 'password.too_common'],
        ['x1@example.com', 'password.contains_name'],
        ['Nonesuch Nonesuch', 'password.contains_name'],
      ] as const) {
        const reply = await create({ email: 'x1@example.com', name: 'Nonesuch', password: weak });
        assertRefused(reply, 422, code);
        assert.equal(fieldOf(reply), 'password');
        assert.ok(!reply.text.includes(weak), 'the password does not come back');
      }
      await app.admin.refused(404, 'user.not_found', 'getUser', { params: { id: 'x1@example.com' } });
    });

    testOnce('refuses bad aliases and more than fifty', async () => {
      for (const field of ['sender_aliases', 'recipient_aliases']) {
        for (const aliases of ['good@example.com, bad', ['bad'], [''], ['a@example.com\nb@example.com']]) {
          const reply = await create({ email: 'x2@example.com', [field]: aliases });
          assertRefused(reply, 422, 'user.bad_email');
          assert.equal(fieldOf(reply), field);
        }
        const many = Array.from({ length: 51 }, (_, number) => `a${number}@example.com`);
        assertRefused(await create({ email: 'x2@example.com', [field]: many.join(',') }), 422, 'user.too_many_aliases');
        assertRefused(await create({ email: 'x2@example.com', [field]: many }), 422, 'request.invalid');
      }
      assertRefused(await create({ email: 'x2@example.com', default_sender_alias: 'bad' }), 422, 'user.bad_email');
      assertRefused(
        await create({ email: 'x2@example.com', default_sender_alias: 'boss@example.com' }),
        422,
        'user.alias_unknown',
      );
    });

    testOnce('without a group creates a local user with their own key and nothing else', async () => {
      const user = userOf(await create({ email: 'Plain@Example.com' }));
      assert.deepEqual(user, {
        id: 'plain-example-com',
        email: 'plain@example.com',
        name: '',
        group: 'local-users',
        group_name: 'Local Users',
        is_local: true,
        role: 'user',
        disabled: false,
        sender_aliases: [],
        recipient_aliases: [],
        default_sender_alias: '',
        unconfirmed_addresses: [],
        storage_used: 0,
        api_key: 'set',
        api_key_expires_at: user.api_key_expires_at,
        last_login_at: null,
        created_at: user.created_at,
      });
    });

    test('accepts aliases as text and as a list, in one spelling and once each', async () => {
      const byText = userOf(
        await create({
          email: 'text@example.com',
          sender_aliases: ' Sales@example.com,info@example.com , sales@EXAMPLE.com ,',
        }),
      );
      assert.deepEqual(byText.sender_aliases, ['sales@example.com', 'info@example.com']);
      const byList = userOf(
        await create({ email: 'list@example.com', recipient_aliases: ['Team@example.com', 'team@example.com'] }),
      );
      assert.deepEqual(byList.recipient_aliases, ['team@example.com']);
    });

    testOnce('gives people whose addresses look alike different ids', async () => {
      const first = userOf(await create({ email: 'j.doe@example.com' }));
      const second = userOf(await create({ email: 'j-doe@example.com' }));
      assert.equal(first.id, 'j-doe-example-com');
      assert.equal(second.id, 'j-doe-example-com-2');
    });

    testOnce('as disabled keeps a person from calling until enabled', async () => {
      const later = await newPerson(app, 'later', { disabled: 'true' });
      await later.refused(401, 'credentials.invalid', 'getAccount');
      await change(idOf(later), { disabled: false });
      await later.expect(200, 'getAccount');
    });
  });

  describe('changing', () => {
    testOnce('is 404 for an unknown person, and bad input changes nothing at all', async () => {
      assertRefused(await change('unknown', { name: 'x' }), 404, 'user.not_found');
      const before = await get(idOf(alice));
      assertRefused(await change(idOf(alice), { name: 'New', email: 'bad' }), 422, 'user.bad_email');
      assertRefused(await change(idOf(alice), { name: 'New', email: 'boss@example.com' }), 422, 'user.email_taken');
      assertRefused(await change(idOf(alice), { name: 'New', group: 'nowhere' }), 422, 'user.unknown_group');
      assertRefused(await change(idOf(alice), { name: 'New', sender_aliases: ['bad'] }), 422, 'user.bad_email');
      assertRefused(await change(idOf(alice), { name: 'New', password: 'short' }), 422, 'password.too_short');
      assertRefused(await change(idOf(alice), { name: 'New', disabled: 'maybe' }), 422, 'request.invalid');
      assert.deepEqual(await get(idOf(alice)), before);
    });

    testOnce('changes only the given fields; null is not given', async () => {
      const bob = await newPerson(app, 'bob', { sender_aliases: ['b@example.com'], password });
      const before = await get(idOf(bob));
      const after = userOf(await change(bob.email, { name: 'Robert', sender_aliases: null, group: null }));
      assert.deepEqual(after, { ...before, name: 'Robert' });
      await app.anonymous.expect(200, 'login', { body: { user: { email: bob.email, password } } });
      const cleared = userOf(await change(idOf(bob), { sender_aliases: '' }));
      assert.deepEqual(cleared.sender_aliases, []);
    });

    testOnce('keeps the id and the key with a new address, and frees the old address', async () => {
      const carol = await newPerson(app, 'carol');
      const moved = userOf(await change(idOf(carol), { email: 'Caroline@example.com' }));
      assert.equal(moved.id, idOf(carol));
      assert.equal(moved.email, 'caroline@example.com');
      await carol.expect(200, 'getAccount');
      assert.equal((await create({ email: 'carol@example.com' })).status, 200);
    });

    test('keeps a person signed in who is written back as they were read', async () => {
      const wendy = await newPerson(app, 'wendy', { password });
      const session = await signIn(app, wendy.email, password);
      for (const as of [app.admin, boss]) {
        const whole = userOf(await as.expect(200, 'getUser', { params: { id: idOf(wendy) } }));
        await as.expect(200, 'changeUser', { params: { id: idOf(wendy) }, body: { user: whole } });
        await session.expect(200, 'getAccount');
      }
    });

    testOnce('to a lower role applies from the next call', async () => {
      const former = await newPerson(app, 'former', { group: 'administrators' });
      await former.expect(200, 'listUsers');
      await change(idOf(former), { group: 'local-users' });
      await former.refused(403, 'admin.not_permitted', 'listUsers');
    });

    testOnce('is refused for disabling, moving or deleting oneself', async () => {
      for (const client of [app.admin, boss]) {
        const id = idOf(client);
        assertRefused(await change(id, { disabled: true }, client), 422, 'user.self');
        assertRefused(await client.call('deleteUser', { params: { id } }), 422, 'user.self');
      }
      assertRefused(await change(idOf(app.admin), { group: 'local-users' }), 422, 'user.self');
      assertRefused(await change(idOf(boss), { group: 'local-users' }, boss), 422, 'user.self');
      assert.equal(userOf(await change(idOf(boss), { name: 'The boss' }, boss)).name, 'The boss');
    });
  });

  describe('ranks', () => {
    test('an administrator sees and finds people below them and themselves, and no others', async () => {
      await newPerson(app, 'peer', { group: 'administrators' });
      await newPerson(app, 'outsider', { group: 'external-users' });
      const { users } = (await boss.expect(200, 'listUsers')).body as { users: UserBody[] };
      const emails = users.map((user) => user.email);
      assert.ok(emails.includes('alice@example.com') && emails.includes('outsider@example.com'));
      assert.ok(emails.includes(boss.email));
      assert.ok(!emails.includes('root@example.com') && !emails.includes('peer@example.com'));
      const unknown = await boss.expect(404, 'getUser', { params: { id: 'unknown' } });
      for (const id of ['root-example-com', 'root@example.com', 'peer-example-com']) {
        const hidden = await boss.expect(404, 'getUser', { params: { id } });
        const strip = (text: string) => text.replace(/"request_id":"[^"]+"/, '');
        assert.equal(strip(hidden.text), strip(unknown.text));
      }
    });

    testOnce('an administrator changes and deletes no one at or above their rank', async () => {
      for (const id of ['root-example-com', 'peer-example-com', 'peer@example.com']) {
        const before = await get(id);
        for (const user of [
          { password },
          { email: 'taken.over@example.com' },
          { group: 'local-users' },
          { disabled: true },
          { name: 'x' },
        ])
          assertRefused(await change(id, user, boss), 404, 'user.not_found');
        assertRefused(await boss.call('deleteUser', { params: { id } }), 404, 'user.not_found');
        assert.deepEqual(await get(id), before);
      }
    });

    testOnce('no sequence of calls by an administrator leads to a key or a role at their rank or above', async () => {
      const own = await app.group('Own administrators', { role: 'administrator' });
      const own2 = await app.group('Own root', { is_sysadmin: true });
      // Creating or moving people up, under every name of the right.
      for (const group of ['administrators', 'system-administrators', own, own2]) {
        assertRefused(await create({ email: 'up@example.com', group }, boss), 403, 'user.group_not_permitted');
        assertRefused(await change(idOf(alice), { group }, boss), 403, 'user.group_not_permitted');
        // Oneself included.
        const self = await change(idOf(boss), { group }, boss);
        assert.ok([403, 422].includes(self.status), self.text);
      }
      assert.equal((await get(idOf(boss))).group, 'administrators');
      // Fields of other calls have no effect here.
      const smuggled = { role: 'system_administrator', is_sysadmin: true, is_admin: true, group_id: own2, id: 'root' };
      const reply = await change(idOf(alice), { name: 'alice', ...smuggled }, boss);
      assert.ok(reply.status === 200 || reply.status === 422, reply.text);
      assert.equal((await get(idOf(alice))).role, 'user');
      // Changing the rights of groups, of the victim or one's own.
      for (const id of ['local-users', 'administrators', 'system-administrators', own]) {
        for (const group of [{ role: 'system_administrator' }, { is_sysadmin: true }, { name: 'x' }])
          assertRefused(
            await boss.call('changeGroup', { params: { id }, body: { group } }),
            403,
            'admin.not_permitted',
          );
        assertRefused(await boss.call('deleteGroup', { params: { id } }), 403, 'admin.not_permitted');
      }
      assertRefused(
        await boss.call('createGroup', { body: { group: { name: 'Mine', role: 'administrator' } } }),
        403,
        'admin.not_permitted',
      );
      // Taking over an address, then requesting the key of that address.
      assertRefused(await change(idOf(alice), { email: 'root@example.com' }, boss), 422, 'user.email_taken');
      assertRefused(await change(idOf(alice), { email: 'ROOT@EXAMPLE.COM' }, boss), 422, 'user.email_taken');
      assertRefused(await create({ email: 'root@example.com' }, boss), 422, 'user.email_taken');
      for (const email of ['root@example.com', 'peer@example.com', 'root-example-com'])
        assertRefused(await boss.call('getApiKey', { query: { email } }), 404, 'user.not_found');
      const { users } = (await app.admin.expect(200, 'listUsers')).body as { users: UserBody[] };
      const ranked = users.filter((user) => user.role !== 'user').map((user) => user.email);
      assert.deepEqual(ranked.sort(), ['boss@example.com', 'peer@example.com', 'root@example.com']);
    });

    test('a person promoted while an administrator changes them is out of that administrator’s reach', async (context) => {
      const rising = await newPerson(app, 'rising');
      const { passwords } = app.app.ctx.keys;
      const hash = passwords.hashPassword.bind(passwords);
      context.mock.method(passwords, 'hashPassword', async (...given: Parameters<typeof hash>) => {
        const hashed = await hash(...given);
        await change(idOf(rising), { group: 'system-administrators' });
        return hashed;
      });
      assertRefused(await change(idOf(rising), { password }, boss), 404, 'user.not_found');
      await app.anonymous.expect(401, 'login', { body: { user: { email: rising.email, password } } });
      await app.admin.expect(200, 'deleteUser', { params: { id: idOf(rising) } });
    });

    testOnce(
      'a promoted person can use no earlier key, named ones too, and neither can people who have read one',
      async () => {
        const climber = await newPerson(app, 'climber', { password });
        const { api_key: named } = (await climber.expect(200, 'createApiKey', { body: { name: 'export' } })).body as {
          api_key: { key: string };
        };
        const session = await signIn(app, climber.email, password);
        const old = [climber, new ApiClient(app.url, named.key, climber.email)];
        for (const group of ['administrators', 'system-administrators']) {
          await change(idOf(climber), { group });
          for (const client of old) await client.refused(401, 'credentials.invalid', 'getAccount');
          await session.refused(401, 'session.ended', 'getAccount');
          const fresh = new ApiClient(app.url, await keyOf(app, idOf(climber)), climber.email);
          await fresh.expect(200, 'listUsers');
          const more = (await fresh.expect(200, 'createApiKey', { body: { name: 'another' } })).body as {
            api_key: { key: string };
          };
          old.push(fresh, new ApiClient(app.url, more.api_key.key, climber.email));
        }
        await app.admin.expect(200, 'deleteUser', { params: { id: idOf(climber) } });
      },
    );

    test('an administrator manages local and outside people', async () => {
      const helped = userOf(await create({ email: 'helped@example.com', group: 'external-users' }, boss));
      assert.equal(userOf(await change(helped.id, { group: 'local-users', password }, boss)).group, 'local-users');
      await boss.expect(200, 'deleteUser', { params: { id: helped.id } });
    });
  });

  describe('deleting', () => {
    testOnce('is 404 for an unknown person, and for one deleted before', async () => {
      await app.admin.refused(404, 'user.not_found', 'deleteUser', { params: { id: 'unknown' } });
      const dan = await newPerson(app, 'dan');
      await app.admin.expect(200, 'deleteUser', { params: { id: dan.email } });
      await app.admin.refused(404, 'user.not_found', 'deleteUser', { params: { id: idOf(dan) } });
      await app.admin.refused(404, 'user.not_found', 'getUser', { params: { id: idOf(dan) } });
      assert.ok(!(await app.admin.expect(200, 'listUsers')).text.includes(dan.email));
    });

    test('leaves nothing in the row that names the person or gives access', async () => {
      const id = idOf(await newPerson(app, 'fay'));
      const { db } = app.app.ctx;
      const aliases = JSON.stringify(['fay.other@example.com']);
      const filled = {
        password_hash: 'a hash',
        sender_aliases: aliases,
        recipient_aliases: aliases,
        default_sender_alias: 'fay.other@example.com',
        proven_addresses: aliases,
        client_key_sealed: Buffer.from('a key'),
      };
      await db.write((tx) => tx.updateTable('users').set(filled).where('id', '=', id).execute());
      await app.admin.expect(200, 'deleteUser', { params: { id } });
      const row = await db.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const { email, name, password_hash, sender_aliases, recipient_aliases, default_sender_alias } = row;
      assert.deepEqual(
        { email, name, password_hash, sender_aliases, recipient_aliases, default_sender_alias },
        {
          email: '',
          name: '',
          password_hash: null,
          sender_aliases: '[]',
          recipient_aliases: '[]',
          default_sender_alias: '',
        },
      );
      assert.equal(row.proven_addresses, '[]');
      assert.equal(row.client_key_sealed, null);
    });

    test('ends keys, links and tickets immediately, destroys file keys, and the bytes follow', async () => {
      const erin = await newPerson(app, 'erin');
      const { linkId, attachmentId } = await share(erin);
      await erin.upload('never-sent.txt', 'hello');
      await erin.expect(200, 'uploadForLink', { query: { filename: 'a.bin', chunks: '2', chunk: '0' }, bytes: 'half' });
      const visitor = new Visitor(app.url);
      const ticket = await visitor.clickDownload(linkId);
      await app.admin.expect(200, 'deleteUser', { params: { id: idOf(erin) } });

      await erin.refused(401, 'credentials.invalid', 'getAccount');
      assert.equal((await visitor.get(`/link/${linkId}`)).status, 410);
      // The form leads back to the page, which says so.
      assert.equal((await visitor.submit(`/link/${linkId}/download`)).headers.location, `/link/${linkId}`);
      assert.equal((await visitor.get(ticket)).status, 410);
      const { db, blobs } = app.app.ctx;
      const files = await db.read.selectFrom('attachments').selectAll().where('owner_id', '=', idOf(erin)).execute();
      assert.equal(files.length, 2);
      assert.ok(files.every((file) => file.state === 'erased' && file.data_key_wrapped === null));
      assert.deepEqual(
        await db.read.selectFrom('parts').selectAll().where('upload_id', '=', attachmentId).execute(),
        [],
      );
      const row = await db.read.selectFrom('users').selectAll().where('id', '=', idOf(erin)).executeTakeFirstOrThrow();
      assert.equal(row.stored_bytes, 0);
      assert.ok(!JSON.stringify(row).includes('erin@example.com'), 'the address is not stored');
      const left = async () => {
        let count = 0;
        for await (const _ of blobs.list()) count++;
        return count;
      };
      const before = await left();
      await app.app.jobs.runOnce('remove-erased');
      assert.equal(await left(), before - 3);
    });
  });

  test('stops a running download of the person within seconds, and so does disabling', async () => {
    const size = beyondBuffersBytes;
    const owners = [await newPerson(app, 'stopper1'), await newPerson(app, 'stopper2')];
    const streams = [];
    for (const owner of owners) {
      const { linkId } = await share(owner, { bytes: size });
      const visitor = new Visitor(app.url);
      streams.push(await openSlowly(`${app.url}${await visitor.clickDownload(linkId)}`));
    }
    await change(idOf(owners[0]!), { disabled: true });
    await app.admin.expect(200, 'deleteUser', { params: { id: idOf(owners[1]!) } });
    for (const owner of owners) {
      const outcome = await until(async () => {
        const row = await app.app.ctx.db.read
          .selectFrom('downloads')
          .select('outcome')
          .where('owner_id', '=', idOf(owner))
          .executeTakeFirst();
        return row?.outcome !== 'granted' && row?.outcome;
      });
      assert.equal(outcome, 'cut');
    }
    for (const stream of streams) {
      const { isWhole, sizeBytes } = await stream.rest();
      assert.ok(!isWhole && sizeBytes < size);
    }
  });

  test('or disabling a person during an upload stores nothing of it', async () => {
    const frank = await newPerson(app, 'frank');
    const halfway = Promise.withResolvers<void>();
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('first half'));
        await halfway.promise;
        controller.enqueue(new TextEncoder().encode('second half'));
        controller.close();
      },
    });
    const upload = frank.call('uploadForLink', { query: { filename: 'a.txt' }, bytes: body });
    await change(idOf(frank), { disabled: true });
    halfway.resolve();
    assertRefused(await upload, 401, 'credentials.invalid');
    const files = await app.app.ctx.db.read
      .selectFrom('attachments')
      .select('id')
      .where('owner_id', '=', idOf(frank))
      .execute();
    assert.deepEqual(files, []);
  });

  test('and other changes of a person are recorded, without secrets', async () => {
    const grace = userOf(await create({ email: 'grace@example.com', password }));
    await change(grace.id, { name: 'Grace', password: 'still another set of words' });
    await app.admin.expect(200, 'deleteUser', { params: { id: grace.id } });
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .selectAll()
      .where('object_kind', '=', 'user')
      .where('object_id', '=', grace.id)
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      events.map((event) => event.action),
      ['user.created', 'user.changed', 'user.deleted'],
    );
    assert.ok(events.every((event) => event.actor_id === 'root-example-com'));
    assert.ok(!/otters|another set/.test(JSON.stringify(events)));
  });

  test('a list of all people is complete when it is longer than a page', async () => {
    const { ctx } = app.app;
    const template = await ctx.db.read.selectFrom('users').selectAll().limit(1).executeTakeFirstOrThrow();
    const crowd = Array.from({ length: 450 }, (_, number) => {
      const id = `crowd-${number}`;
      return { ...template, id, email: `${id}@crowd.example`, group_id: 'local-users', drop_name: null };
    });
    await ctx.db.write((tx) => tx.insertInto('users').values(crowd).execute());
    const { users } = (await app.admin.expect(200, 'listUsers')).body as { users: UserBody[] };
    assert.equal(users.filter((user) => user.email.endsWith('@crowd.example')).length, 450);
    assert.equal(new Set(users.map((user) => user.id)).size, users.length);
    assert.equal((users.find((user) => user.id === 'crowd-7') as UserBody).api_key, 'none');
  });

  testOnce('a path with unusual characters is 404, not a fault', async () => {
    // nginx itself refuses what cannot be an address, or leads out of the site.
    const noAddresses = isBehindNginx ? [] : ['%00', '..%2f..', '%2e%2e'];
    for (const id of ['%0a', 'a'.repeat(500), '%F0%9F%98%80', "';--", ...noAddresses]) {
      const reply = await rawRequest(`${app.url}/admin/users/${id}`, {
        headers: { accept: 'application/json', authorization: `Bearer ${app.admin.key}` },
      });
      assert.equal(reply.status, 404, `${id}: ${reply.text}`);
      assert.ok(Array.isArray((reply.body as { errors: unknown }).errors));
    }
  });
});

onEachDatabase('the last System Administrator', (start) => {
  test('can be neither disabled nor moved nor deleted, also when two remove each other concurrently', async () => {
    const app = await start();
    try {
      const second = await newPerson(app, 'second', { group: 'system-administrators' });
      const pair = [app.admin, second];
      const remove = (client: ApiClient, victim: ApiClient) =>
        client.call('changeUser', { params: { id: idOf(victim) }, body: { user: { disabled: true } } });
      const replies = await Promise.all([remove(app.admin, second), remove(second, app.admin)]);
      assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
      const survivor = pair[replies.findIndex((reply) => reply.status === 200)]!;
      await survivor.expect(200, 'listUsers');

      // The other is added again, in a group of administrators, and has no rights over the one that is left.
      const other = pair.find((client) => client !== survivor)!;
      const body = { user: { disabled: false, group: 'administrators' } };
      await survivor.expect(200, 'changeUser', { params: { id: idOf(other) }, body });
      await other.refused(404, 'user.not_found', 'deleteUser', { params: { id: idOf(survivor) } });

      // A disabled System Administrator does not count as one that is left.
      await survivor.expect(200, 'changeUser', {
        params: { id: idOf(other) },
        body: { user: { disabled: true, group: 'system-administrators' } },
      });
      for (const user of [{ disabled: true }, { group: 'local-users' }])
        await survivor.refused(422, 'user.self', 'changeUser', { params: { id: idOf(survivor) }, body: { user } });
      await survivor.expect(200, 'deleteUser', { params: { id: idOf(other) } });
    } finally {
      await app.close();
    }
  });
});
