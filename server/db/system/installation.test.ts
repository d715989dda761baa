// Facts of the installation, among others.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Tx } from '../schema/schema.ts';
import {
  deleteMeta,
  endFutureWaits,
  findMeta,
  listKeyEncryptionKeys,
  rewrapKeyEncryptionKey,
  setMeta,
} from './installation.ts';

describe('Facts of the installation', () => {
  const rows = useRows({ isReversed: true });
  const fact: Among<'meta'> = { table: 'meta', right: { key: 'fact', value: 'old' }, wrong: { key: 'other' } };

  test('are found, set and forgotten by their name', async () => {
    await rows.finds(fact, (db) => findMeta(db, 'fact'), 'old');
    await rows.changes({ ...fact, wrong: {} }, (tx) => setMeta(tx, 'fact', 'new'), { value: 'new' });
    await rows.changes(fact, (tx) => deleteMeta(tx, 'fact'), null);
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

  test('what a clock that was ahead has put off is taken back, and nothing that is soon', async () => {
    const hour = 3_600_000;
    const end = (tx: Tx) => endFutureWaits(tx, 7);
    const job: Among<'jobs'> = {
      table: 'jobs',
      right: { name: 'job', lease_ends_at: hour + 8 },
      wrong: { lease_ends_at: hour + 7 },
    };
    await rows.changes(job, end, { lease_ends_at: 0 });
    const held: Among<'outbox'> = { ...job, table: 'outbox', right: { id: 'mail', lease_ends_at: hour + 8 } };
    await rows.changes(held, end, { lease_ends_at: 0 });
    const late = { id: 'mail', next_at: 5 * hour + 8 };
    await rows.changes({ table: 'outbox', right: late, wrong: { next_at: 5 * hour + 7 } }, end, { next_at: 7 });
    const locked = { key: 'lock', window_ends_at: 25 * hour + 8 };
    await rows.changes({ table: 'attempts', right: locked, wrong: { window_ends_at: 25 * hour + 7 } }, end, null);
  });
});
