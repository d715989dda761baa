import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { PersonBody } from '#contract/admin/user-lists.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { type ApiClient, assertRefused } from '#test/kit/client.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

interface Found {
  items: PersonBody[];
  total: number;
  next: string | null;
  counts: Record<string, number>;
}

onEachDatabase('finding people', (start) => {
  const app = useApp(start);
  let boss: ApiClient;
  let alice: ApiClient;
  const find = async (query: Record<string, string>, as = app.admin): Promise<Found> =>
    (await as.expect(200, 'listPeople', { query: query as never })).body as Found;
  const emails = async (query: Record<string, string>, as?: ApiClient) =>
    (await find(query, as)).items.map(({ email }) => email.replace(/@.*/, ''));

  before(async () => {
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    const add = (user: object) => app.admin.expect(200, 'createUser', { body: { user } });
    await add({ email: 'asa@example.com', name: 'Åsa Öberg', recipient_aliases: ['front-desk@example.com'] });
    await add({ email: 'zoe@harbour.example', name: 'Zoë 100%_sure', group: 'external-users', invite: true });
    await add({ email: 'dan@example.com', name: 'Dan Brown', disabled: true });
  });

  test('is for administrators', async () => {
    await app.anonymous.expect(401, 'listPeople', { query: {} });
    assertRefused(await alice.call('listPeople', { query: {} }), 403, 'admin.not_permitted');
  });

  test('shows administrators people below their rank and themselves, in the list and in every count', async () => {
    const all = await find({});
    assert.ok(all.items.some(({ role }) => role === 'system_administrator'));
    assert.equal(all.counts.all, all.total);
    const below = await find({}, boss);
    assert.deepEqual([...new Set(below.items.map(({ role }) => role))].toSorted(), ['administrator', 'user']);
    assert.equal(below.items.filter(({ role }) => role === 'administrator').length, 1);
    assert.equal(below.total, below.items.length);
    assert.equal(below.counts.all, below.total);
    assert.deepEqual(await emails({ role: 'system_administrator' }, boss), []);
    assert.deepEqual(await emails({ role: 'administrator' }, boss), ['boss']);
    assert.deepEqual(await emails({ group: 'system-administrators' }, boss), []);
  });

  test('finds words in names, addresses and aliases, regardless of case and accents', async () => {
    assert.deepEqual(await emails({ q: 'OBERG asa' }), ['asa']);
    assert.deepEqual(await emails({ q: 'front-desk' }), ['asa']);
    assert.deepEqual(await emails({ q: '100%_SURE' }), ['zoe'], 'signs of patterns are plain signs');
    assert.deepEqual(await emails({ q: '%' }), ['zoe']);
    assert.deepEqual(await emails({ q: 'no such name' }), []);
  });

  test('finds a person by their new name and address, and no longer by the old ones', async () => {
    await app.admin.expect(200, 'createUser', { body: { user: { email: 'eve@example.com', name: 'Eve Before' } } });
    const params = { id: 'eve-example-com' };
    await app.admin.expect(200, 'changeUser', {
      params,
      body: { user: { name: 'Eve After', sender_aliases: 'press@example.com' } },
    });
    assert.deepEqual(await emails({ q: 'after' }), ['eve']);
    assert.deepEqual(await emails({ q: 'press@' }), ['eve']);
    assert.deepEqual(await emails({ q: 'eve before' }), []);
    await app.admin.expect(200, 'deleteUser', { params });
    assert.deepEqual(await emails({ q: 'eve' }), []);
  });

  test('returns group, state, second step, storage and last use of each person', async () => {
    const one = async (email: string) => (await find({ q: email })).items[0]!;
    const zoe = await one('zoe@harbour.example');
    const { id, ...facts } = zoe;
    assert.deepEqual(facts, {
      email: 'zoe@harbour.example',
      name: 'Zoë 100%_sure',
      group: { id: 'external-users', name: 'External Users' },
      is_local: false,
      role: 'user',
      state: 'invited',
      second_step: false,
      storage_used: 0,
      last_seen_at: null,
      created_at: new Date(app.clock.now()).toISOString(),
    });
    const step = (totp_state: 'off' | 'on') =>
      app.app.ctx.db.write((tx) => tx.updateTable('users').set({ totp_state }).where('id', '=', id).execute());
    await step('on');
    assert.equal((await one(zoe.email)).second_step, true);
    await step('off');
    await alice.upload('a.txt', 'seven b');
    const seen = await one(alice.email);
    assert.deepEqual([seen.state, seen.storage_used, seen.second_step], ['active', 7, false]);
    assert.equal(Date.parse(seen.last_seen_at!), app.clock.now());
    assert.equal((await one('dan@example.com')).state, 'disabled');
  });

  test('filters by group, role, state and when people were last seen', async () => {
    assert.deepEqual(await emails({ group: 'external-users' }), ['zoe']);
    assert.deepEqual(await emails({ state: 'disabled' }), ['dan']);
    assert.deepEqual(await emails({ state: 'invited', q: 'zoe' }), ['zoe']);
    assert.equal((await emails({ state: 'active' })).includes('dan'), false);
    assert.equal((await emails({ seen: 'never' })).includes('dan'), true);
    assert.equal((await emails({ seen: 'never' })).includes('alice'), false);
    assert.deepEqual(await emails({ seen: '30' }), []);
    app.clock.advance(31 * 86_400_000);
    assert.equal((await emails({ seen: '30' })).includes('alice'), true);
    const { counts } = await find({});
    assert.equal(counts.disabled, 1);
    assert.ok(counts.never! >= 2);
  });

  test('returns each person once over the pages of every order', async () => {
    for (const sort of ['email', '-email', 'name', '-name', 'seen', '-seen', 'storage', '-storage']) {
      const whole = (await find({ sort, size: '100' })).items.map(({ id }) => id);
      const met: string[] = [];
      let after: string | null = null;
      do {
        const page: Found = await find({ sort, size: '2', ...(after === null ? {} : { after }) });
        met.push(...page.items.map(({ id }) => id));
        after = page.next;
      } while (after !== null);
      assert.deepEqual(met, whole, sort);
      assert.equal(new Set(met).size, met.length);
    }
  });

  test('refuses a cursor that no page returned', async () => {
    for (const after of ['x', 'WzFd', Buffer.from('[1e999,"a"]').toString('base64url')]) {
      assertRefused(await app.admin.call('listPeople', { query: { after } as never }), 422, 'list.bad_place');
      assertRefused(
        await app.admin.call('listPeople', { query: { after, sort: 'seen' } as never }),
        422,
        'list.bad_place',
      );
    }
  });
});
