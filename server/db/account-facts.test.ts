// The key of clients, among accounts that are not meant.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { replaceClientKey } from './account-facts.ts';
import { useRows } from './engine/nearly-right.kit.ts';

describe('The key of clients', () => {
  const rows = useRows();

  test('is replaced for one account, which has changed then', async () => {
    rows.put('users', { id: 'bob', email: 'bob' }, { id: 'alice', email: 'alice' });
    await replaceClientKey(rows.db, 'alice', 'new', 9);
    const [bob, alice] = rows.all('users');
    assert.deepEqual([bob?.client_key_sealed, bob?.updated_at, alice?.updated_at], [null, 0, 9]);
    assert.equal(rows.db.keys.openText('client-key', alice!.client_key_sealed!, 'alice'), 'new');
  });
});
