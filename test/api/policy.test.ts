import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newPerson, tracesOf } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

const ben = 'ben@harbour.example';

onOneEngine('policy explained', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let boss: ApiClient;
  before(async () => {
    const group = await app.group('Narrow', { message_limit_recipients: true, message_max_size: 1 });
    alice = await newPerson(app, 'alice', { group });
    boss = await newPerson(app, 'boss', { group: 'administrators' });
  });

  const explain = (user: string, message: unknown) => ({ body: { explain: { user, message } } });

  test('returns to an administrator the result of a dry run by the person, by id and by address', async () => {
    const own = (await alice.upload('own.txt', 'hello', 'uploadForMessage')).id;
    const file = { filename: 'a.exe', size: 2_000_000 };
    for (const message of [
      { recipients: [alice.email] },
      { recipients: [ben], subject: '\n', attachments: [own, file] },
      { recipients: [alice.email], attachments: [own] },
    ]) {
      const { body } = await alice.expect(200, 'sendMessage', { body: { message: { ...message, dry_run: true } } });
      const untouched = await tracesOf(app);
      for (const user of [alice.email, 'alice-example-com'])
        assert.deepEqual((await boss.expect(200, 'explainPolicy', explain(user, message))).body, body);
      assert.deepEqual(await tracesOf(app), untouched);
    }
  });

  test('is for administrators, about people below them and themselves', async () => {
    const message = { recipients: [ben] };
    await app.anonymous.refused(401, 'credentials.invalid', 'explainPolicy', explain(alice.email, message));
    await alice.refused(403, 'admin.not_permitted', 'explainPolicy', explain(alice.email, message));
    await boss.refused(404, 'user.not_found', 'explainPolicy', explain(app.admin.email, message));
    await boss.refused(404, 'user.not_found', 'explainPolicy', explain('unknown@example.com', message));
    await boss.expect(200, 'explainPolicy', explain(boss.email, message));
    await app.admin.expect(200, 'explainPolicy', explain(boss.email, message));
  });

  test('reports first that an account is disabled', async () => {
    const gone = await newPerson(app, 'gone');
    await app.admin.expect(200, 'changeUser', {
      params: { id: 'gone-example-com' },
      body: { user: { disabled: true } },
    });
    const { body } = await boss.expect(200, 'explainPolicy', explain(gone.email, { recipients: [ben] }));
    const { allowed, rules } = (body as { dry_run: { allowed: boolean; rules: { code: string }[] } }).dry_run;
    assert.deepEqual([allowed, rules[0]?.code], [false, 'credentials.invalid']);
  });

  test('names the group of an address: of its account, or the default one', async () => {
    const which = async (email: string) =>
      ((await boss.expect(200, 'whichGroup', { query: { email } })).body as { which: unknown }).which;
    assert.deepEqual(await which('Alice@Example.com'), {
      email: alice.email,
      group: { id: 'narrow', name: 'Narrow' },
      rule: 'account',
    });
    assert.deepEqual(await which('new@example.com'), {
      email: 'new@example.com',
      group: { id: 'local-users', name: 'Local Users' },
      rule: 'default',
    });
    await newPerson(app, 'new');
    assert.equal(((await which('new@example.com')) as { group: { id: string } }).group.id, 'local-users');
    await boss.refused(422, 'user.bad_email', 'whichGroup', { query: { email: 'no-address' } });
    await boss.refused(422, 'user.bad_email', 'whichGroup');
    await boss.refused(404, 'user.not_found', 'whichGroup', { query: { email: app.admin.email } });
    await alice.refused(403, 'admin.not_permitted', 'whichGroup', { query: { email: ben } });
  });

  test('is available although a group is called Which', async () => {
    const id = await app.group('Which');
    assert.equal(id, 'which-2');
    await app.admin.expect(200, 'getGroup', { params: { id } });
  });
});
