import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { deleteMeta, findMeta, listKeyEncryptionKeys, rewrapKeyEncryptionKey, setMeta } from './installation.ts';

describe('Facts of the installation', () => {
  const rows = useRows({ isReversed: true });
  const fact: Among<'meta'> = { table: 'meta', right: { key: 'set_up', value: 'old' }, wrong: { key: 'other' } };

  test('are found, set and forgotten by their name', async () => {
    await rows.finds(fact, (db) => findMeta(db, 'set_up'), 'old');
    await rows.changes({ ...fact, wrong: {} }, (tx) => setMeta(tx, 'set_up', 'new'), { value: 'new' });
    await rows.changes(fact, (tx) => deleteMeta(tx, 'set_up'), null);
  });

  test('keys that wrap keys are listed in order and wrapped anew one by one', async () => {
    const [old, fresh] = [Buffer.from('old'), Buffer.from('new')];
    const key: Among<'key_encryption_keys'> = {
      table: 'key_encryption_keys',
      right: { id: 2, wrapped: old },
      wrong: { id: 1 },
    };
    await rows.changes(key, (tx) => rewrapKeyEncryptionKey(tx, 2, fresh), { wrapped: fresh });
    rows.put('key_encryption_keys', { id: 2 }, { id: 1 }, { id: 3 });
    assert.deepEqual(
      (await listKeyEncryptionKeys(rows.db)).map(({ id }) => id),
      [1, 2, 3],
    );
  });
});
