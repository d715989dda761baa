import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Endpoint, endpoints } from '#contract/endpoints.ts';
import type { Right, Role } from '#server/domain/roles.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

/** Repeated on purpose: moving a right to another role is a decision, not a side effect. */
const rolesWith: Record<Exclude<Right, 'people.everyone'>, Role[]> = {
  'console.read': ['auditor', 'administrator', 'system_administrator'],
  'console.change': ['administrator', 'system_administrator'],
  'people.add': ['administrator', 'system_administrator'],
  'people.manage': ['administrator', 'system_administrator'],
  'system.read': ['auditor', 'system_administrator'],
  'system.change': ['system_administrator'],
};

const all = Object.entries(endpoints) as [string, Endpoint][];

/** A call with an unknown id and an empty body. Only its status and code matter. */
async function tryCall(client: ApiClient, { method, path, body }: Endpoint): Promise<{ status: number; code: string }> {
  const stop = new AbortController();
  const isForm = body === 'form';
  const response = await fetch(client.url + path.replace(/:\w+/g, 'nowhere'), {
    method,
    redirect: 'manual',
    signal: stop.signal,
    headers: {
      accept: 'application/json',
      ...(client.key === null ? {} : { authorization: `Bearer ${client.key}` }),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? new FormData() : '{}' }),
  });
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
  const text = isJson ? await response.text() : '';
  const answer = text === '' ? {} : (JSON.parse(text) as { code?: string });
  stop.abort();
  return { status: response.status, code: answer.code ?? '' };
}

onOneEngine('the right of every call', (start) => {
  const app = useApp(start);
  const callers = {} as Record<Role, ApiClient>;
  before(async () => {
    await app.group('Auditors', { role: 'auditor' });
    callers.user = await newPerson(app, 'alice');
    callers.auditor = await newPerson(app, 'watch', { group: 'auditors' });
    callers.administrator = await newPerson(app, 'boss', { group: 'administrators' });
    callers.system_administrator = await newPerson(app, 'chief', { group: 'system-administrators' });
  });

  test('is declared for everything below /admin/, and needs a key', () => {
    for (const [name, { path, right, auth }] of all) {
      assert.ok(right !== undefined || !path.startsWith('/admin/'), `${name} names no right`);
      if (right !== undefined) assert.equal(auth, 'key', name);
    }
  });

  test('lets auditors call nothing below /admin/ that changes anything', () => {
    for (const [name, { path, right, method }] of all) {
      if (!path.startsWith('/admin/') || !rolesWith[right!].includes('auditor')) continue;
      assert.ok(method === 'GET' || /\/(replay|preview)$/.test(path), name);
    }
  });

  test('refuses callers without a key', async () => {
    for (const [name, endpoint] of all) {
      const { status } = await tryCall(app.anonymous, endpoint);
      if (endpoint.auth === 'key') assert.equal(status, 401, name);
      else assert.ok(status !== 403 && status < 500, `${name}: ${status}`);
    }
  });

  for (const role of ['user', 'auditor', 'administrator', 'system_administrator'] as const)
    describe(`as ${role}`, () => {
      test('every call that declares another role is refused, and no other for its role', async () => {
        for (const [name, endpoint] of all) {
          const { status, code } = await tryCall(callers[role], endpoint);
          const isPermitted = endpoint.right === undefined || rolesWith[endpoint.right].includes(role);
          if (isPermitted) assert.notEqual(code, 'admin.not_permitted', name);
          else assert.deepEqual([status, code], [403, 'admin.not_permitted'], name);
          assert.ok(status < 500, `${name}: ${status}`);
        }
      });
    });

  test('an auditor whose group may invite still adds no one', async () => {
    await app.admin.expect(200, 'changeGroup', {
      params: { id: 'auditors' },
      body: { group: { can_invite_users: true } },
    });
    const user = { email: 'guest@elsewhere.example', invite: true, group: 'external-users' };
    await callers.auditor.refused(403, 'admin.not_permitted', 'createUser', { body: { user } });
  });
});

onOneEngine('groups of auditors', (start) => {
  const app = useApp(start);

  test('are created by their role, survive flags of older scripts, and are local', async () => {
    const id = await app.group('Revision', { role: 'auditor' });
    const { body } = await app.admin.expect(200, 'getGroup', { params: { id } });
    const { group } = body as { group: Record<string, unknown> };
    assert.deepEqual([group.role, group.is_admin, group.is_sysadmin], ['auditor', false, false]);
    // A script may send back what it reads.
    const again = await app.admin.expect(200, 'changeGroup', { params: { id }, body: { group } });
    assert.equal((again.body as { group: { role: string } }).group.role, 'auditor');
    await app.admin.refused(422, 'group.outside_rights', 'changeGroup', {
      params: { id },
      body: { group: { is_local: false } },
    });
  });

  test('an administrator cannot see, change or impersonate an auditor', async () => {
    await app.group('Watchers', { role: 'auditor' });
    const watch = await newPerson(app, 'watcher', { group: 'watchers' });
    const boss = await newPerson(app, 'chef', { group: 'administrators' });
    await boss.refused(404, 'user.not_found', 'getUser', { params: { id: watch.email } });
    await boss.refused(404, 'user.not_found', 'getApiKey', { query: { email: watch.email } });
    await boss.refused(403, 'user.group_not_permitted', 'createUser', {
      body: { user: { email: 'more@example.com', group: 'watchers' } },
    });
  });

  test('a user who becomes an auditor gets new keys', async () => {
    await app.group('Controllers', { role: 'auditor' });
    const carol = await newPerson(app, 'carol');
    await app.admin.expect(200, 'changeUser', {
      params: { id: carol.email },
      body: { user: { group: 'controllers' } },
    });
    await carol.expect(401, 'getAccount');
  });
});
