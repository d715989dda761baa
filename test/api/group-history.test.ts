import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient, Reply } from '#test/kit/client.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

type Group = Record<string, unknown> & { id: string; version: number };
interface Entry {
  id: number;
  by: string;
  action: string;
  changes: { setting: string; from: unknown; to: unknown }[];
}

onEachDatabase('groups over time', (start) => {
  const app = useApp(start);
  let other: ApiClient;
  before(async () => {
    other = await newPerson(app, 'otto', { group: 'system-administrators' });
  });

  const groupOf = ({ body }: Reply) => (body as { group: Group }).group;
  const get = async (id: string) => groupOf(await app.admin.expect(200, 'getGroup', { params: { id } }));
  const save = (id: string, group: Record<string, unknown>, as = app.admin) =>
    as.call('changeGroup', { params: { id }, body: { group } });
  const historyOf = async (id: string, query: Record<string, string> = {}) =>
    (await app.admin.expect(200, 'listGroupHistory', { params: { id }, query })).body as {
      history: Entry[];
      next: string | null;
    };

  describe('two concurrent changes', () => {
    test('refuse the second with the settings that others have changed since, and save nothing', async () => {
      const id = await app.group('Both');
      const { version } = await get(id);
      assert.equal((await save(id, { version, message_max_expiration: 90, can_invite_users: true })).status, 200);
      assert.equal((await save(id, { message_max_expiration: 80 }, other)).status, 200);
      const refused = await save(id, { version, filelink_max_expiration: 20 }, other);
      assert.equal(refused.status, 409);
      const { code, meanwhile } = refused.body as {
        code: string;
        meanwhile: (Entry['changes'][number] & { by: string })[];
      };
      assert.equal(code, 'group.changed_meanwhile');
      assert.deepEqual(meanwhile.map(({ setting, from, to, by }) => [setting, from, to, by]).toSorted(), [
        ['can_invite_users', false, true, 'root@example.com'],
        ['message_max_expiration', 180, 80, other.email],
      ]);
      const now = await get(id);
      assert.equal(now.filelink_max_expiration, 180);
      assert.equal((await save(id, { version: now.version, filelink_max_expiration: 20 }, other)).status, 200);
    });

    testOnce('save one of many with the same version; without a version all are accepted', async () => {
      const id = await app.group('Many');
      const { version } = await get(id);
      const replies = await Promise.all(
        [10, 11, 12, 13].map((days) => save(id, { version, file_request_expiration: days })),
      );
      assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409, 409]);
      const free = await Promise.all([14, 15].map((days) => save(id, { file_request_expiration: days })));
      assert.deepEqual(
        free.map(({ status }) => status),
        [200, 200],
      );
      assert.equal((await get(id)).version, version + 3);
    });
  });

  describe('history', () => {
    testOnce('has every change with its author, old and new value, newest first, in pages', async () => {
      const id = await app.group('Storied', { can_invite_users: true });
      await save(id, { name: 'Storied people', message_max_size: 100 }, other);
      const { history, next } = await historyOf(id);
      assert.equal(next, null);
      assert.deepEqual(
        history.map(({ action, by }) => [action, by]),
        [
          ['changed', other.email],
          ['created', 'root@example.com'],
        ],
      );
      assert.deepEqual(history[0]!.changes, [
        { setting: 'name', from: 'Storied', to: 'Storied people' },
        { setting: 'message_max_size', from: 5120, to: 100 },
      ]);
      await app.admin.refused(404, 'group.not_found', 'listGroupHistory', { params: { id: 'nowhere' } });
    });

    test('restores all of a change or some of it, with its own event, and only valid values', async () => {
      const id = await app.group('Restored');
      await save(id, { message_max_size: 100, can_invite_users: true });
      const [entry] = (await historyOf(id)).history;
      const restore = (input: Record<string, unknown>) =>
        app.admin.call('restoreGroup', { params: { id }, body: { restore: { entry: entry!.id, ...input } } });
      const some = groupOf(await restore({ settings: ['can_invite_users'] }));
      assert.deepEqual([some.can_invite_users, some.message_max_size], [false, 100]);
      const all = groupOf(await restore({ version: some.version }));
      assert.equal(all.message_max_size, 5120);
      assert.equal((await historyOf(id)).history.length, 4);
      assert.equal((await restore({ version: 1 })).status, 409);
      for (const input of [{ entry: 999_999 }, { settings: ['page_title'] }])
        assert.equal(((await restore(input)).body as { code: string }).code, 'group.entry_unknown');
      const foreign = await app.group('Foreign');
      await app.admin.refused(422, 'group.entry_unknown', 'restoreGroup', {
        params: { id: foreign },
        body: { restore: { entry: entry!.id } },
      });
    });
  });

  describe('order and domains', () => {
    test('a group moves to a position, beyond the end to the last one, and the list keeps it', async () => {
      const id = await app.group('Mover');
      const move = async (to: number) => {
        const { body } = await app.admin.expect(200, 'moveGroup', { params: { id }, body: { move: { to } } });
        return (body as { groups: Group[] }).groups.map((group) => group.id);
      };
      assert.equal((await move(2))[1], id);
      assert.equal((await move(1))[0], id);
      assert.equal((await move(1))[0], id);
      assert.equal((await move(99)).at(-1), id);
      await app.admin.refused(404, 'group.not_found', 'moveGroup', {
        params: { id: 'nowhere' },
        body: { move: { to: 1 } },
      });
    });

    testOnce("the first group that claims a domain gets new people from there, within the caller's rank", async () => {
      const first = await app.group('North', { match_domains: ['north.example', '@NORTH2.example'] });
      const second = await app.group('Second', { match_domains: 'north.example' });
      const which = async (email: string, as = app.admin) =>
        ((await as.expect(200, 'whichGroup', { query: { email } })).body as { which: { group: Group; rule: string } })
          .which;
      const decided = async (email: string, as = app.admin) => {
        const { group, rule } = await which(email, as);
        return [group.id, rule];
      };
      assert.deepEqual(await decided('ann@north.example'), [first, 'domain']);
      assert.deepEqual(await decided('ann@north2.example'), [first, 'domain']);
      assert.deepEqual(await decided('ann@sub.north.example'), ['local-users', 'default']);
      await app.admin.expect(200, 'moveGroup', { params: { id: second }, body: { move: { to: 1 } } });
      assert.deepEqual(await decided('ann@north.example'), [second, 'domain']);
      const created = await app.admin.expect(200, 'createUser', { body: { user: { email: 'ann@north.example' } } });
      assert.equal((created.body as { user: { group: string } }).user.group, second);
      // A group above the rank of the caller claims no one for them.
      await app.group('Chiefs of north', { role: 'system_administrator', match_domains: ['chief.example'] });
      const boss = await newPerson(app, 'boss', { group: 'administrators' });
      assert.deepEqual(await decided('new@chief.example', boss), ['local-users', 'default']);
      await app.admin.refused(422, 'group.bad_setting', 'createGroup', {
        body: { group: { name: 'Bad', match_domains: ['no domain'] } },
      });
    });
  });
});
