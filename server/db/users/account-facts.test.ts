import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { findAccountFacts, replaceClientKey } from './account-facts.ts';

describe('The key of clients', () => {
  const rows = useRows();

  test('is replaced for one account, which has changed then', async () => {
    rows.put('users', { id: 'bob', email: 'bob' }, { id: 'alice', email: 'alice' });
    await replaceClientKey(rows.db, 'alice', 'new', 9);
    const [bob, alice] = rows.all('users');
    assert.deepEqual([bob?.client_key_sealed, bob?.updated_at, alice?.updated_at], [null, 0, 9]);
    assert.equal(rows.db.keys.openText('client-key', alice!.client_key_sealed!, 'alice'), 'new');
  });

  test('is returned with the drop page of one account', async () => {
    const lists = { sender_aliases: '[]', recipient_aliases: '[]', proven_addresses: '[]' };
    const account: Among<'users'> = {
      table: 'users',
      right: { ...lists, id: 'alice', drop_name: 'page' },
      wrong: { id: 'bob' },
    };
    await rows.finds(account, async (db) => (await findAccountFacts(db, 'alice'))?.dropName, 'page');
  });
});
