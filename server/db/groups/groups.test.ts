import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { defaultPolicy } from '../../domain/policy.ts';
import type { Query } from '../schema/schema.ts';
import {
  countMembersByGroup,
  deleteGroup,
  findGroup,
  listGroups,
  listMembersAfter,
  moveDeletedMembers,
  orderGroups,
  updateGroup,
} from './groups.ts';

describe('Among other groups', () => {
  const rows = useRows();
  const group: Among<'groups'> = {
    table: 'groups',
    right: { id: 'group', policy: '{}', domains: '[]', match_groups: '[]' },
    wrong: { id: 'other' },
  };

  test('one is found, put in its place and deleted by its id', async () => {
    await rows.finds(group, async (db) => (await findGroup(db, 'group'))?.id, 'group');
    await rows.changes(group, (tx) => orderGroups(tx, ['first', 'group']), { position: 1 });
    await rows.changes(group, (tx) => deleteGroup(tx, 'group'), null);
  });

  test('they are listed in their order, then by id', async () => {
    const made = (id: string, position: number) => ({ ...group.right, id, position });
    rows.put('groups', made('d', 2), made('b', 3), made('a', 3), made('c', 1));
    assert.deepEqual(
      (await listGroups(rows.db)).map(({ id }) => id),
      ['c', 'd', 'a', 'b'],
    );
  });

  test('everything of one is changed', async () => {
    const changes = { name: 'New', role: 'administrator', version: 2 } as const;
    const changed = {
      ...changes,
      id: 'group',
      isLocal: true,
      policy: defaultPolicy(true),
      domains: ['one'],
      matchGroups: ['two'],
      updatedAt: 9,
    };
    await rows.changes(group, (tx) => updateGroup(tx, changed), {
      ...changes,
      is_local: 1,
      policy: JSON.stringify(defaultPolicy(true)),
      domains: '["one"]',
      match_groups: '["two"]',
      updated_at: 9,
    });
  });
});

describe('People of a group', () => {
  const rows = useRows({ isReversed: true });
  const person: Among<'users'> = {
    table: 'users',
    right: { id: 'b', email: 'b@one', group_id: 'group', state: 'active' },
    wrong: { group_id: 'other', state: 'deleted' },
  };

  test('are those who are not gone, in order of id, from behind one on', async () => {
    const members = async (db: Query) => (await listMembersAfter(db, 'group', 'a', 2)).map(({ id }) => id);
    await rows.finds({ ...person, wrong: { ...person.wrong, id: 'a' } }, members, ['b']);
    rows.put('users', ...['c', 'a', 'b', 'd'].map((id) => ({ ...person.right, id, email: id })));
    assert.deepEqual(await members(rows.db), ['b', 'c']);
  });

  test('are counted, but for those who are gone', async () => {
    const count = async (db: Query) => [...(await countMembersByGroup(db))];
    await rows.finds({ ...person, wrong: { state: 'deleted' } }, count, [['group', 1]]);
  });

  test('who are gone are moved out of it', async () => {
    const gone: Among<'users'> = {
      ...person,
      right: { ...person.right, state: 'deleted' },
      wrong: { group_id: 'other', state: ['active', 'disabled'] },
    };
    await rows.changes(gone, (tx) => moveDeletedMembers(tx, 'group', 'next'), { group_id: 'next' });
  });
});
