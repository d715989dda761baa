// Statements about keys, each among keys that are nearly the one that is meant.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { deleteAccountKeysOf, findApiKeyOf, findApiKeysOf, listApiKeysOf, markApiKeyReplaced } from './api-keys.ts';

describe('Among other keys', () => {
  const rows = useRows();
  const key: Among<'api_keys'> = {
    table: 'api_keys',
    right: { id: 'key', user_id: 'alice', kind: 'account', replaced_at: null },
    wrong: { user_id: 'bob', kind: 'named', replaced_at: 5 },
  };

  test('the key of an account is its own, not a named one and not one that was replaced', async () => {
    await rows.finds(key, async (db) => (await findApiKeyOf(db, 'alice'))?.id, 'key');
    await rows.finds(key, async (db) => [...(await findApiKeysOf(db, ['alice', 'carol'])).keys()], ['alice']);
  });

  test('of several the newest is the key of the account', async () => {
    const made = (id: string, created_at: number) => ({ ...key.right, id, lookup: Buffer.from(id), created_at });
    rows.put('api_keys', made('old', 1), made('new', 3), made('between', 2));
    assert.equal((await findApiKeyOf(rows.db, 'alice'))?.id, 'new');
    assert.equal((await findApiKeysOf(rows.db, ['alice'])).get('alice')?.id, 'new');
  });

  test('a list has the key of the account first, then the newest, then by id', async () => {
    const made = (id: string, columns: object) => ({ ...key.right, id, lookup: Buffer.from(id), ...columns });
    rows.put(
      'api_keys',
      made('c', { kind: 'named', created_at: 1 }),
      made('b', { kind: 'named', created_at: 1 }),
      made('d', { kind: 'named', created_at: 2 }),
      made('a', { created_at: 0 }),
    );
    assert.deepEqual(
      (await listApiKeysOf(rows.db, 'alice')).map(({ id }) => id),
      ['a', 'd', 'b', 'c'],
    );
  });

  test('with a new key of the account only keys of this account and kind end', async () => {
    const { user_id, kind } = key.wrong;
    await rows.changes({ ...key, wrong: { user_id, kind } }, (tx) => deleteAccountKeysOf(tx, 'alice', 1), null);
  });

  test('a key is replaced once, and by its owner', async () => {
    const replaced = { id: 'key', userId: 'alice', now: 7, endsAt: 9 };
    const { kind: _, ...wrong } = { ...key.wrong, id: 'other' };
    const becomes = { replaced_at: 7, expires_at: 9 };
    await rows.changes({ ...key, wrong }, (tx) => markApiKeyReplaced(tx, replaced), becomes);
  });
});
