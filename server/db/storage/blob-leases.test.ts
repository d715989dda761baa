import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import {
  claimOrphans,
  deleteLease,
  deleteOldLeases,
  findUsedBlobKeys,
  insertLeases,
  isLeased,
  renewLeases,
} from './blob-leases.ts';

const lease: Among<'blob_leases'> = {
  table: 'blob_leases',
  right: { blob_key: 'blob', holder: 'here', expires_at: 10 },
  wrong: { blob_key: 'other', holder: 'there' },
};

describe('A lease', () => {
  const rows = useRows();

  test('that exists is extended', async () => {
    const taken = { ...lease, wrong: {} };
    await rows.changes(taken, (tx) => insertLeases(tx, ['blob'], { holder: 'here', expiresAt: 20 }), {
      expires_at: 20,
    });
  });

  test('is renewed by its holder', async () => {
    const renew = (tx: Parameters<typeof renewLeases>[0]) =>
      renewLeases(tx, ['blob'], { holder: 'here', expiresAt: 20 });
    await rows.changes(lease, renew, { expires_at: 20 });
    await rows.finds(lease, renew, new Set(['blob']));
  });

  test('is given back by its holder', async () => {
    await rows.changes(lease, (tx) => deleteLease(tx, 'blob', 'here'), null);
    await rows.finds(lease, (tx) => deleteLease(tx, 'blob', 'here'), true);
  });

  test('lasts until it expires, and is forgotten some time after', async () => {
    await rows.finds({ ...lease, wrong: { blob_key: 'other', expires_at: 9 } }, (db) => isLeased(db, 'blob', 9), true);
    await rows.changes({ ...lease, wrong: { expires_at: 11 } }, (tx) => deleteOldLeases(tx, 11), null);
  });
});

describe('Bytes without an owner', () => {
  const rows = useRows();
  const claim = () => claimOrphans(rows.db, ['blob'], 9);

  test('are those under no lease that lives', async () => {
    rows.put('parts');
    const { blob_key } = lease.wrong;
    await rows.finds({ ...lease, wrong: { blob_key, expires_at: 9 } }, claim, []);
    const over = { ...lease.right, expires_at: 9 };
    await rows.changes({ ...lease, right: over, wrong: { blob_key, expires_at: 10 } }, claim, null);
  });

  test('are those that no part has', async () => {
    rows.put('blob_leases');
    const part: Among<'parts'> = { table: 'parts', right: { blob_key: 'blob' }, wrong: { blob_key: 'other' } };
    await rows.finds(part, claim, []);
    await rows.finds(part, (db) => findUsedBlobKeys(db, ['blob']), new Set(['blob']));
  });

  test('of other blobs do not change', async () => {
    const over = { ...lease.right, blob_key: 'other', expires_at: 9 };
    rows.put('parts');
    rows.put('blob_leases', over);
    assert.deepEqual(await claim(), ['blob']);
    assert.deepEqual(rows.all('blob_leases'), [over]);
  });
});
