// Which people are found, among people who are nearly meant.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { GroupsTable, Query, Tx, UsersTable } from '../schema/schema.ts';
import {
  countSystemAdministrators,
  countUsers,
  findLocalAddresses,
  findMemberAtDomain,
  findUser,
  findUserByEmail,
  isStillIdle,
  isUserIdTaken,
  listHoldersOf,
  listIdleUsers,
  listSystemAdministrators,
  listUserEmails,
  listUsersAfter,
  markUserDeleted,
  noteSeen,
  replacePasswordHash,
  updateUser,
} from './users.ts';

const group: Partial<GroupsTable> = { id: 'group', policy: '{}', role: 'system_administrator', is_local: 1 };
const right: Partial<UsersTable> = {
  id: 'b',
  email: 'b@one',
  group_id: 'group',
  state: 'active',
  sender_aliases: '["b@two"]',
  recipient_aliases: '["b@three"]',
  proven_addresses: '["a@one","b@one","b@two"]',
  created_at: 4,
};
const among = (wrong: Among<'users'>['wrong']): Among<'users'> => ({ table: 'users', right, wrong });
const made = (id: string, email: string) => ({ ...right, id, email, proven_addresses: JSON.stringify([email]) });
const ids = (found: { id: string }[]) => found.map(({ id }) => id);

describe('Among other people', () => {
  const rows = useRows({ isReversed: true });
  before(() => rows.put('groups', group));

  test('one is found by id or address, unless deleted', async () => {
    await rows.finds(among({ id: 'a', state: 'deleted' }), async (db) => (await findUser(db, 'b'))?.id, 'b');
    const byEmail = async (db: Query) => (await findUserByEmail(db, 'b@one'))?.id;
    await rows.finds(among({ email: 'a@one', state: 'deleted' }), byEmail, 'b');
    await rows.finds(among({ state: 'deleted' }), countUsers, 1);
  });

  test('those hold an address who have it as their own or as an alias', async () => {
    const wrong = (columns: Among<'users'>['wrong']) => among({ ...columns, state: 'deleted' });
    const holders = (address: string) => async (db: Query) => ids(await listHoldersOf(db, address));
    await rows.finds(wrong({ email: 'a@one' }), holders('b@one'), ['b']);
    await rows.finds(wrong({ sender_aliases: '["bb@two"]' }), holders('b@two'), ['b']);
    await rows.finds(wrong({ recipient_aliases: '[]' }), holders('b@three'), ['b']);
  });

  test('all are listed in order of address', async () => {
    const next = async (db: Query) => ids(await listUsersAfter(db, 'a@one', 2));
    await rows.finds(among({ email: 'a@one', state: 'deleted' }), next, ['b']);
    rows.put('users', made('1', 'c@one'), made('2', 'b@one'), made('3', 'd@one'), made('4', 'a@one'));
    assert.deepEqual(await next(rows.db), ['2', '1']);
  });

  test('addresses are returned for these users, without deleted ones', async () => {
    const emails = async (db: Query) => [...(await listUserEmails(db, ['b', 'c']))];
    await rows.finds(among({ id: 'a', state: 'deleted' }), emails, [['b', 'b@one']]);
  });

  test('those are idle who were not seen since an instant, or are older and were never', async () => {
    const since = { groupId: 'group', seenBefore: 5 };
    const idle = async (db: Query) => ids(await listIdleUsers(db, { ...since, limit: 2 }));
    rows.put('groups', group, { ...group, id: 'next' });
    const seen = among({ last_seen_at: 5, created_at: 5, state: 'deleted', group_id: 'next' });
    await rows.finds(seen, idle, ['b']);
    await rows.finds({ ...seen, wrong: { ...seen.wrong, id: 'c' } }, (tx) => isStillIdle(tx, 'b', since), true);
    rows.put('users', made('c', 'c@one'), made('b', 'b@one'), { ...made('d', 'd@one'), last_seen_at: 3 });
    assert.deepEqual(await idle(rows.db), ['d', 'b']);
    rows.put('groups', group);
  });
});

describe('System Administrators', () => {
  const rows = useRows({ isReversed: true });

  test('are active people of groups with this role', async () => {
    rows.put('groups', group);
    const notActive = among({ state: ['disabled', 'deleted'], group_id: 'other' });
    await rows.finds(notActive, listSystemAdministrators, [{ id: 'b', email: 'b@one' }]);
    await rows.finds(notActive, (db) => countSystemAdministrators(db, { outside: 'another' }), 1);
    rows.put('users', right);
    const role: Among<'groups'> = { table: 'groups', right: group, wrong: { role: 'administrator' } };
    await rows.finds(role, async (db) => ids(await listSystemAdministrators(db)), ['b']);
    const outside = { ...role, wrong: { ...role.wrong, id: 'another' } };
    await rows.finds(outside, (db) => countSystemAdministrators(db, { outside: 'another' }), 1);
    rows.put('groups', group);
    assert.equal(await countSystemAdministrators(rows.db, { outside: 'group' }), 0);
  });

  test('are listed by address', async () => {
    rows.put('groups', group);
    rows.put('users', made('1', 'c@one'), made('2', 'b@one'), made('3', 'd@one'));
    assert.deepEqual(ids(await listSystemAdministrators(rows.db)), ['2', '1', '3']);
  });
});

describe('Of one person', () => {
  const rows = useRows();
  before(() => rows.put('groups', group, { ...group, id: 'next' }));
  const one = among({ id: 'a' });

  test('the id is never used again', async () => {
    await rows.finds(one, (db) => isUserIdTaken(db, 'b'), true);
    rows.put('users', { ...right, state: 'deleted' });
    assert.equal(await isUserIdTaken(rows.db, 'b'), true);
  });

  test('it is noted that they were seen', async () => {
    await rows.changes(one, (tx) => noteSeen(tx, 'b', 9), { last_seen_at: 9 });
  });

  test('a hash replaces only the one it was computed for', async () => {
    const old = { ...one, right: { ...right, password_hash: 'old' }, wrong: { id: 'a', password_hash: 'newer' } };
    const replace = (tx: Tx) => replacePasswordHash(tx, 'b', { from: 'old', to: 'new' }, 9);
    await rows.changes(old, replace, { password_hash: 'new', updated_at: 9 });
  });

  test('everything is changed that was asked for, and found by their new names', async () => {
    const plain = { email: 'c@one', name: 'Zoë', state: 'disabled', language: 'de' } as const;
    const lists = { senderAliases: ['c@two'], recipientAliases: ['c@three'], provenAddresses: ['c@one'] };
    const rest = { groupId: 'next', passwordHash: 'hash', defaultSenderAlias: 'c@two', isDropOpen: false };
    await rows.changes(one, (tx) => updateUser(tx, 'b', { ...plain, ...lists, ...rest }, 9), {
      ...plain,
      sender_aliases: '["c@two"]',
      recipient_aliases: '["c@three"]',
      proven_addresses: '["c@one"]',
      group_id: 'next',
      password_hash: 'hash',
      default_sender_alias: 'c@two',
      is_drop_closed: 1,
      search_text: 'zoe\nc@one\nc@two\nc@three',
      updated_at: 9,
    });
    await rows.changes(one, (tx) => updateUser(tx, 'b', {}, 9), { updated_at: 9 });
    rows.put('users', right, { ...made('a', 'a@one'), search_text: 'before' });
    await updateUser(rows.db, 'b', { name: 'Bob' }, 9);
    assert.equal(rows.all('users').find(({ id }) => id === 'a')?.search_text, 'before');
  });

  test('nothing is left that names them or lets them in', async () => {
    const known: Among<'users'> = {
      ...one,
      right: {
        ...right,
        name: 'Bob',
        default_sender_alias: 'b@two',
        search_text: 'bob',
        password_hash: 'hash',
        client_key_sealed: Buffer.from('key'),
      },
    };
    await rows.changes(known, (tx) => markUserDeleted(tx, 'b', 9), {
      state: 'deleted',
      email: '',
      name: '',
      sender_aliases: '[]',
      recipient_aliases: '[]',
      default_sender_alias: '',
      proven_addresses: '[]',
      search_text: '',
      password_hash: null,
      client_key_sealed: null,
      updated_at: 9,
    });
  });
});

describe('Addresses', () => {
  const rows = useRows({ isReversed: true });
  const wrong: Among<'users'>['wrong'] = { state: ['disabled', 'deleted'], proven_addresses: '["b@two"]' };

  test('are local that are proven by active people of local groups', async () => {
    const few = ['b@one', 'c@one'];
    const many = [...few, 'd@one', 'e@one', 'f@one'];
    for (const addresses of [few, many]) {
      const find = (db: Query) => findLocalAddresses(db, addresses);
      rows.put('groups', group);
      await rows.finds(among({ ...wrong, email: 'a@one', group_id: 'other' }), find, new Set(['b@one']));
      rows.put('users', right);
      await rows.finds({ table: 'groups', right: group, wrong: { is_local: 0 } }, find, new Set(['b@one']));
    }
  });

  test('at a domain lead to the first active person of these groups', async () => {
    const find = async (db: Query) => (await findMemberAtDomain(db, ['group', 'next'], 'one'))?.id;
    rows.put('groups', group, { ...group, id: 'other' });
    await rows.finds(among({ ...wrong, email: 'b@two', group_id: 'other' }), find, 'b');
    rows.put('users', made('c', 'c@one'), made('b', 'b@one'));
    assert.equal(await find(rows.db), 'b');
  });
});
