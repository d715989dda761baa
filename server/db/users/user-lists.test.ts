import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { countUserList, countUserStates, listUserPage, type UserFilter, type UserPage } from './user-lists.ts';

const filter: UserFilter = {
  groups: { among: ['group'] },
  selfId: null,
  q: '',
  state: null,
  seen: null,
  ids: null,
  isnt: null,
};

describe('Pages of people', () => {
  const rows = useRows();
  const lists = { sender_aliases: '[]', recipient_aliases: '[]', proven_addresses: '[]' };
  const made = (id: string, name: string) =>
    ({ ...lists, id, name, email: id, group_id: 'group', state: 'active' }) as const;
  const page = async (db: Query, wanted: Partial<UserPage>) => {
    const found = await listUserPage(db, filter, {
      sort: 'name',
      isDescending: false,
      after: null,
      limit: 3,
      ...wanted,
    });
    return found.map(({ id }) => id);
  };

  test('show those of the groups who are not gone, and count them', async () => {
    rows.put('groups', { id: 'group', policy: '{}' }, { id: 'other', policy: '{}' });
    const person: Among<'users'> = {
      table: 'users',
      right: made('alice', 'Alice'),
      wrong: { state: 'deleted', group_id: 'other' },
    };
    await rows.finds(person, (db) => page(db, {}), ['alice']);
    await rows.finds(person, (db) => countUserList(db, filter), 1);
    await rows.finds(person, async (db) => (await countUserStates(db, filter.groups, 5)).all, 1);
  });

  test('show and count those who were last seen before an instant', async () => {
    rows.put('groups', { id: 'group', policy: '{}' });
    const idle: Among<'users'> = {
      table: 'users',
      right: { ...made('alice', 'Alice'), last_seen_at: 4 },
      wrong: { last_seen_at: [5, null] },
    };
    await rows.finds(idle, (db) => countUserList(db, { ...filter, seen: { before: 5 } }), 1);
    await rows.finds(idle, async (db) => (await countUserStates(db, filter.groups, 5)).inactive, 1);
  });

  test('go by name and then by id, in one direction, from behind one on', async () => {
    rows.put('groups', { id: 'group', policy: '{}' });
    rows.put('users', made('d', 'B'), made('b', 'B'), made('c', 'B'), made('e', 'A'), made('a', 'C'), {
      ...made('0', 'A'),
      state: 'deleted',
    });
    assert.deepEqual(await page(rows.db, {}), ['e', 'b', 'c']);
    assert.deepEqual(await page(rows.db, { isDescending: true }), ['a', 'd', 'c']);
    assert.deepEqual(await page(rows.db, { after: { value: 'B', id: 'b' } }), ['c', 'd', 'a']);
    assert.deepEqual(await page(rows.db, { after: { value: 'B', id: 'd' }, isDescending: true }), ['c', 'b', 'e']);
  });
});
