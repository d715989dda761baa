import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onEachDatabase } from '#test/kit/app.ts';
import { ApiClient, assertRefused, type Reply } from '#test/kit/client.ts';
import { idOf, keyOf, newPerson } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'grey otters under a paper moon';
type GroupBody = Record<string, unknown> & { id: string };
const groupOf = (reply: Reply) => (reply.body as { group: GroupBody }).group;
interface Refusal {
  errors: string[];
  code: string;
  field?: string;
}

/** Invalid values of each kind of setting, and what the sentence must say. */
const badSettings: [field: string, value: unknown, sentence: RegExp][] = [
  ['can_use_messages', 'perhaps', /can_use_messages must be true or false/],
  ['can_use_messages', 1, /true or false/],
  ['can_use_filelinks', null, /true or false/],
  ['filelink_max_expiration', 0, /whole number from 1 to 3650 \(days\)/],
  ['filelink_max_expiration', 3651, /from 1 to 3650/],
  ['filelink_max_expiration', 1.5, /whole number/],
  ['filelink_max_expiration', '12 days', /whole number/],
  ['filelink_max_expiration', '-1', /whole number/],
  ['filelink_max_expiration', [], /whole number/],
  ['storage_quota', -1, /from 0 to 1000000000/],
  ['message_max_size', 1e300, /whole number/],
  ['message_default_authorization', 5, /one of 0, 1, 2, 3, 4/],
  ['file_request_permission', 1, /one of 2, 3/],
  ['require_second_factor', 'always', /one of off, offered, required/],
  ['require_second_factor', true, /one of off/],
  ['menubar_title', 'two\nlines', /one line of at most 100/],
  ['page_title', 'x'.repeat(101), /at most 100/],
  ['page_title', 5, /one line/],
  ['permitted_extensions', 'tar.gz', /separated by commas/],
  ['blocked_extensions', ['a/b'], /separated by commas/],
  ['blocked_extensions', 5, /separated by commas/],
  ['message_recipient_domains', ['exa mple.com'], /list of domains/],
  ['message_recipient_domains', [5], /list of domains/],
  ['message_recipient_pattern', 'x'.repeat(513), /at most 512/],
  ['client_custom_settings', 'x'.repeat(17_000), /at most 16 KB/],
];

const contradictions: [settings: Record<string, unknown>, field: string][] = [
  [{ permitted_extensions: 'pdf', blocked_extensions: 'exe' }, 'permitted_extensions'],
  [{ message_default_expiration: 50, message_max_expiration: 40 }, 'message_default_expiration'],
  [{ filelink_max_expiration: 13 }, 'filelink_default_expiration'],
  [{ message_max_expires_after: 5, message_default_expires_after: 6 }, 'message_default_expires_after'],
  [{ message_max_expires_after: 5, message_default_expires_after: 0 }, 'message_default_expires_after'],
  [{ message_default_authorization: 0 }, 'message_default_authorization'],
  [{ message_can_use_specified_recipients: false }, 'message_default_authorization'],
  [
    { message_can_use_anyone: true, message_default_authorization: 0, message_default_private_message: true },
    'message_default_private_message',
  ],
  [{ message_can_send_to_local_users_only: true }, 'message_can_send_to_local_users_only'],
  [{ message_recipient_pattern: '(?=x)' }, 'message_recipient_pattern'],
  [{ message_recipient_pattern: '([' }, 'message_recipient_pattern'],
];

onEachDatabase('administration of groups', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  let boss: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
  });

  const create = (group: unknown, as = app.admin) => as.call('createGroup', { body: { group } });
  const change = (id: string, group: unknown, as = app.admin) =>
    as.call('changeGroup', { params: { id }, body: { group } });
  const get = async (id: string) => groupOf(await app.admin.expect(200, 'getGroup', { params: { id } }));
  const refused = (reply: Reply, status: number, code: string) => assertRefused(reply, status, code).body as Refusal;

  describe('rights', () => {
    test('are 401 without a key and 403 with a user’s key, on every call and for any group', async () => {
      for (const [client, status] of [
        [app.anonymous, 401],
        [alice, 403],
      ] as const) {
        for (const id of ['local-users', 'nowhere']) {
          await client.expect(status, 'getGroup', { params: { id } });
          await client.expect(status, 'changeGroup', { params: { id }, body: { group: { name: 'x' } } });
          await client.expect(status, 'deleteGroup', { params: { id } });
        }
        await client.expect(status, 'listGroups');
        await client.expect(status, 'createGroup', { body: { group: { name: 'x' } } });
      }
    });

    test('let an administrator read groups and change none', async () => {
      const { groups } = (await boss.expect(200, 'listGroups')).body as { groups: GroupBody[] };
      assert.ok(groups.length >= 4);
      await boss.expect(200, 'getGroup', { params: { id: 'local-users' } });
      refused(await create({ name: 'Mine' }, boss), 403, 'admin.not_permitted');
      refused(await change('local-users', { name: 'Mine' }, boss), 403, 'admin.not_permitted');
      refused(await boss.call('deleteGroup', { params: { id: 'local-users' } }), 403, 'admin.not_permitted');
    });
  });

  describe('creating', () => {
    test('requires a name of one line that no other group has', async () => {
      for (const name of [undefined, null, '', '  ', 'x'.repeat(101), 'two\nlines'])
        assert.equal(refused(await create({ name }), 422, 'group.bad_name').field, 'name');
      await app.group('Taken');
      for (const name of ['Taken', ' taken ', 'TAKEN'])
        assert.equal(refused(await create({ name }), 422, 'group.name_taken').field, 'name');
    });

    test('creates one of many concurrent groups with the same name', async () => {
      const replies = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'Race' })));
      assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 422, 422, 422, 422]);
    });

    test('creates separate groups for names in any script, and for names whose ids would be alike', async () => {
      const ids = [];
      for (const name of ['営業部', '開発部', 'R&D', 'R+D']) ids.push(groupOf(await create({ name })).id);
      assert.equal(new Set(ids).size, 4);
      assert.equal((await get(ids[1]!)).name, '開発部');
    });

    test('gives a group of outside people no administrator rights', async () => {
      for (const rights of [{ role: 'administrator' }, { is_admin: true }, { is_sysadmin: 'true' }])
        refused(await create({ name: 'Outside', is_local: false, ...rights }), 422, 'group.outside_rights');
    });

    test('refuses a role and older flags that contradict each other', async () => {
      refused(await create({ name: 'Flags', role: 'user', is_admin: true }), 422, 'group.contradiction');
      refused(await create({ name: 'Flags', role: 'emperor' }), 422, 'request.invalid');
      const group = groupOf(await create({ name: 'Flags', is_admin: true, is_sysadmin: false }));
      assert.equal(group.role, 'administrator');
      assert.equal(group.is_admin, true);
    });

    test('returns every setting of the group under its wire name', async () => {
      const group = groupOf(await create({ name: 'Whole', storage_quota: '250' }));
      assert.equal(group.storage_quota, 250);
      assert.equal(group.shipped, false);
      assert.equal(group.members, 0);
      const { user } = (await alice.expect(200, 'getAccount')).body as { user: Record<string, unknown> };
      const personal =
        /^(user_id|email|name|group|group_id|is_local|api_key_expires_at|version|version_numeric)$|alias/;
      const elsewhere = /^(filedrop_url|filedrop_email_url|client_encryption_key)$/;
      for (const field of Object.keys(user).filter((name) => !personal.test(name) && !elsewhere.test(name)))
        assert.ok(field in group, field);
    });
  });

  describe('settings', () => {
    let id: string;
    before(async () => {
      id = await app.group('Settings');
    });

    test('are each refused with one sentence that names the setting and what it accepts', async () => {
      const before = await get(id);
      for (const [field, value, sentence] of badSettings) {
        const refusal = refused(await change(id, { [field]: value }), 422, 'group.bad_setting');
        assert.equal(refusal.field, field);
        assert.equal(refusal.errors.length, 1);
        assert.match(refusal.errors[0]!, sentence, field);
      }
      assert.deepEqual(await get(id), before);
    });

    test('with several invalid values are refused together, the first one named as the field', async () => {
      const refusal = refused(
        await change(id, { can_use_messages: 'x', filelink_max_expiration: 0, nonsense: 1, name: 'New name' }),
        422,
        'group.bad_setting',
      );
      assert.equal(refusal.field, 'can_use_messages');
      assert.equal(refusal.errors.length, 3);
      assert.match(refusal.errors[2]!, /“nonsense” is not a setting/);
      assert.equal((await get(id)).name, 'Settings');
    });

    test('that are unknown are refused, so that a typing error weakens nothing', async () => {
      for (const name of [
        'can_use_filelink',
        'Can_use_filelinks',
        'constructor',
        'toString',
        'hasOwnProperty',
        'policy',
        'members_',
      ]) {
        const refusal = refused(await change(id, { [name]: true }), 422, 'group.unknown_setting');
        assert.equal(refusal.field, name);
      }
    });

    test('that contradict each other are refused with the field to check', async () => {
      const before = await get(id);
      for (const [settings, field] of contradictions) {
        const refusal = refused(await change(id, settings), 422, 'group.contradiction');
        assert.equal(refusal.field, field, JSON.stringify(settings));
      }
      assert.deepEqual(await get(id), before);
    });

    test('accept a maximum of downloads alone, and the default follows', async () => {
      const { id } = groupOf(await create({ name: 'Few downloads', message_max_expires_after: 5 }));
      assert.equal((await get(id)).message_default_expires_after, 5);
      assert.equal((await change(id, { message_max_expires_after: 3 })).status, 200);
      assert.equal((await get(id)).message_default_expires_after, 3);
    });

    test('replace the blocked extensions by a list of permitted ones, and back', async () => {
      assert.notEqual((await get(id)).blocked_extensions, '');
      const permitted = groupOf(await change(id, { permitted_extensions: ['PDF', '.txt', 'pdf'] }));
      assert.equal(permitted.permitted_extensions, 'pdf,txt');
      assert.equal(permitted.blocked_extensions, '');
      const blocked = groupOf(await change(id, { blocked_extensions: ' EXE , .bat ' }));
      assert.equal(blocked.blocked_extensions, 'exe,bat');
      assert.equal(blocked.permitted_extensions, '');
    });

    test('keep the permitted extensions when the list of blocked ones is empty, however it is written', async () => {
      await change(id, { permitted_extensions: 'pdf' });
      for (const blocked_extensions of ['', [], ' ', ','])
        assert.equal(groupOf(await change(id, { blocked_extensions })).permitted_extensions, 'pdf');
      await change(id, { blocked_extensions: 'exe' });
    });

    test('accept flags and numbers as text from old scripts', async () => {
      const group = groupOf(await change(id, { can_invite_users: 'true', filelink_max_expiration: '90' }));
      assert.equal(group.can_invite_users, true);
      assert.equal(group.filelink_max_expiration, 90);
    });

    test('accept an answer sent back unchanged, which changes nothing but the time', async () => {
      app.clock.advance(1000);
      const before = await get(id);
      const after = groupOf(await change(id, before));
      assert.deepEqual({ ...after, updated_at: before.updated_at }, before);
    });
  });

  describe('changing and deleting', () => {
    test('is 404 for an unknown group', async () => {
      refused(await change('nowhere', { name: 'x' }), 404, 'group.not_found');
      await app.admin.refused(404, 'group.not_found', 'getGroup', { params: { id: 'nowhere' } });
      await app.admin.refused(404, 'group.not_found', 'deleteGroup', { params: { id: 'nowhere' } });
    });

    test('renames and sets shipped groups, but keeps their kind and rights', async () => {
      for (const id of ['system-administrators', 'administrators', 'local-users', 'external-users']) {
        refused(await app.admin.call('deleteGroup', { params: { id } }), 422, 'group.shipped');
        const group = await get(id);
        assert.equal(group.shipped, true);
        const otherRole = group.role === 'user' ? 'administrator' : 'user';
        const reply = await change(id, { role: otherRole });
        assert.ok(reply.status === 422, reply.text);
        const moved = await change(id, { is_local: !group.is_local });
        assert.ok(moved.status === 422, moved.text);
      }
      const renamed = groupOf(await change('external-users', { name: 'Guests', delete_inactive_user: 30 }));
      assert.equal(renamed.name, 'Guests');
      assert.equal(renamed.id, 'external-users');
      assert.equal(renamed.delete_inactive_user, 30);
    });

    test("is refused for the rights of the caller's own group", async () => {
      const id = await app.group('Second roots', { role: 'system_administrator' });
      const root = await newPerson(app, 'root2', { group: id });
      refused(await change(id, { role: 'user' }, root), 422, 'group.own');
      refused(await change(id, { is_sysadmin: false }, root), 422, 'group.own');
      assert.equal(groupOf(await change(id, { name: 'Third roots' }, root)).name, 'Third roots');
    });

    test('of a group of hundreds gives its new rights to all members', async () => {
      const id = await app.group('Crowd');
      const last = await newPerson(app, 'zz-last', { group: id });
      await app.app.ctx.db.write(async (tx) => {
        const row = await tx.selectFrom('users').selectAll().where('id', '=', idOf(last)).executeTakeFirstOrThrow();
        const others = Array.from({ length: 205 }, (_, n) => ({
          ...row,
          id: `crowd-${n}`,
          email: `crowd-${n}@x.example`,
        }));
        await tx.insertInto('users').values(others).execute();
      });
      await change(id, { role: 'administrator' });
      await last.refused(401, 'credentials.invalid', 'getAccount');
    });

    test('of a group’s rights applies from the next call of its members', async () => {
      const id = await app.group('Helpers');
      const helper = await newPerson(app, 'helper', { group: id });
      await helper.refused(403, 'admin.not_permitted', 'listUsers');
      await change(id, { role: 'administrator' });
      const raised = new ApiClient(app.url, await keyOf(app, idOf(helper)), helper.email);
      await raised.expect(200, 'listUsers');
      await change(id, { role: 'user' });
      await raised.refused(403, 'admin.not_permitted', 'listUsers');
    });

    test('of a group to more rights ends every earlier key and session of its members', async () => {
      const id = await app.group('Rising');
      const [one, two] = [
        await newPerson(app, 'rise1', { group: id, password }),
        await newPerson(app, 'rise2', { group: id }),
      ];
      const bystander = await newPerson(app, 'bystander', { password });
      const named = (await one.expect(200, 'createApiKey', { body: { name: 'export' } })).body as {
        api_key: { key: string };
      };
      const session = await signIn(app, one.email, password);
      const elsewhere = await signIn(app, bystander.email, password);
      const old = [one, two, new ApiClient(app.url, named.api_key.key, one.email)];
      await change(id, { name: 'Still rising' });
      for (const client of [...old, session]) await client.expect(200, 'getAccount');
      await change(id, { role: 'administrator' });
      for (const client of old) await client.refused(401, 'credentials.invalid', 'getAccount');
      await session.refused(401, 'session.ended', 'getAccount');
      for (const client of [bystander, elsewhere]) await client.expect(200, 'getAccount');
      const notices = await app.app.ctx.db.read
        .selectFrom('outbox')
        .select('recipient')
        .where('kind', '=', 'security-notice')
        .where('recipient', 'in', [one.email, two.email])
        .execute();
      // One for the named key, one each for the keys that ended.
      assert.deepEqual(
        notices.map(({ recipient }) => recipient).sort(),
        [one, one, two].map((who) => who.email),
      );

      const again = await signIn(app, one.email, password);
      const administrator = new ApiClient(app.url, await keyOf(app, idOf(one)), one.email);
      await change(id, { role: 'user' });
      await again.refused(401, 'session.ended', 'getAccount');
      await administrator.expect(200, 'getAccount');
    });

    test('is refused for a group with members until they are moved or deleted', async () => {
      const id = await app.group('Project');
      const [one, two] = [await newPerson(app, 'one', { group: id }), await newPerson(app, 'two', { group: id })];
      assert.equal((await get(id)).members, 2);
      refused(await app.admin.call('deleteGroup', { params: { id } }), 422, 'group.has_members');
      await app.admin.expect(200, 'changeUser', {
        params: { id: idOf(one) },
        body: { user: { group: 'local-users' } },
      });
      await app.admin.expect(200, 'deleteUser', { params: { id: idOf(two) } });
      assert.equal((await get(id)).members, 0);
      await app.admin.expect(200, 'deleteGroup', { params: { id } });
      await app.admin.refused(404, 'group.not_found', 'getGroup', { params: { id } });
      refused(
        await app.admin.call('createUser', { body: { user: { email: 'x@example.com', group: id } } }),
        422,
        'user.unknown_group',
      );
    });

    test('moves a person added during the deletion to a group that exists', async () => {
      const id = await app.group('Vanishing');
      const [added] = await Promise.all([
        app.admin.call('createUser', { body: { user: { email: 'late@example.com', group: id } } }),
        app.admin.call('deleteGroup', { params: { id } }),
      ]);
      const groups = (await app.admin.expect(200, 'listGroups')).body as { groups: GroupBody[] };
      const exists = groups.groups.some((group) => group.id === id);
      assert.equal(added.status === 200, exists, added.text);
    });

    test('records old and new values', async () => {
      const id = await app.group('Recorded', { filelink_max_expiration: 60 });
      await change(id, { filelink_max_expiration: 61 });
      await app.admin.expect(200, 'deleteGroup', { params: { id } });
      const events = await app.app.ctx.db.read
        .selectFrom('events')
        .selectAll()
        .where('object_kind', '=', 'group')
        .where('object_id', '=', id)
        .orderBy('seq')
        .execute();
      assert.deepEqual(
        events.map((event) => event.action),
        ['group.created', 'group.changed', 'group.deleted'],
      );
      assert.deepEqual(JSON.parse(events[1]!.facts), {
        version: { from: 1, to: 2 },
        filelink_max_expiration: { from: 60, to: 61 },
      });
    });
  });
});
