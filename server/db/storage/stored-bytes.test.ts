import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  addStoredBytes,
  chargeDelivered,
  findUsedBytes,
  hasFreeSpace,
  listStaleReservations,
  noteReservation,
  releaseReservation,
  reserveBytes,
} from './stored-bytes.ts';

const own = { ownerId: 'alice', source: '' };
const person: Among<'users'> = {
  table: 'users',
  right: { id: 'alice', state: 'active', stored_bytes: 5, reserved_bytes: 2 },
  wrong: { id: 'bob' },
};
/** Three more bytes fill the quota. */
const full: Among<'users'> = { ...person, wrong: { id: 'bob', stored_bytes: 6, reserved_bytes: 3 } };

describe('Bytes of one person', () => {
  const rows = useRows();

  test('are added only for active users, and removed at any time', async () => {
    const active: Among<'users'> = { ...person, wrong: { id: 'bob', state: ['disabled', 'deleted'] } };
    await rows.changes(active, (tx) => addStoredBytes(tx, own, 3), { stored_bytes: 8 });
    const gone: Among<'users'> = { ...person, right: { ...person.right, state: 'deleted' } };
    await rows.changes(gone, (tx) => addStoredBytes(tx, own, -3), { stored_bytes: 2 });
    const dropped = { ownerId: 'alice', source: 'drop:key' };
    await rows.finds(active, (tx) => addStoredBytes(tx, dropped, 3), true);
    await rows.changes({ ...active, wrong: {} }, (tx) => addStoredBytes(tx, dropped, 3), {});
  });

  test('are charged for a delivery if the quota permits', async () => {
    const bytes = { ownerId: 'alice', bytes: 3, quotaBytes: 10 };
    await rows.changes(full, (tx) => chargeDelivered(tx, bytes), { stored_bytes: 8 });
    const unlimited = { ...bytes, quotaBytes: null };
    await rows.changes(person, (tx) => chargeDelivered(tx, unlimited), { stored_bytes: 8 });
  });

  test('are reserved if the quota permits', async () => {
    const wanted = { id: 'promise', ownerId: 'alice', bytes: 3, quotaBytes: 10, expiresAt: 9 };
    await rows.finds(full, (db) => hasFreeSpace(db, wanted), true);
    rows.put('reservations');
    await rows.changes(full, (tx) => reserveBytes(tx, wanted), { reserved_bytes: 5 });
    const promise = { id: 'promise', owner_id: 'alice', reserved_bytes: 3, expires_at: 9, source: '' };
    assert.deepEqual(rows.all('reservations'), [promise]);
  });

  test('are used when they are stored or promised', async () => {
    await rows.finds(person, (db) => findUsedBytes(db, 'alice'), 7);
  });
});

describe('A promise of bytes', () => {
  const rows = useRows();
  const promise: Among<'reservations'> = {
    table: 'reservations',
    right: { id: 'promise', owner_id: 'alice', reserved_bytes: 2, expires_at: 9 },
    wrong: { id: 'other' },
  };

  test('is increased', async () => {
    const more = { ...own, id: 'promise', bytes: 3, expiresAt: 20 };
    const becomes = { reserved_bytes: 5, expires_at: 20 };
    await rows.changes({ ...promise, wrong: {} }, (tx) => noteReservation(tx, more), becomes);
  });

  test('is released once, for its owner', async () => {
    rows.put('users');
    await rows.changes(promise, (tx) => releaseReservation(tx, 'promise'), null);
    const release = (tx: Parameters<typeof releaseReservation>[0]) => {
      rows.put('reservations', promise.right);
      return releaseReservation(tx, 'promise');
    };
    await rows.changes(person, release, { reserved_bytes: 0 });
    const reserve = { ...promise.right, source: 'drop:key' };
    rows.put('users', person.right);
    rows.put('reservations', reserve);
    await releaseReservation(rows.db, 'promise');
    assert.equal(rows.all('users')[0]?.reserved_bytes, 2);
  });

  test('is stale once it has expired, up to a limit', async () => {
    const stale = (db: Query) => listStaleReservations(db, 10, 2);
    await rows.finds({ ...promise, wrong: { expires_at: 10 } }, stale, ['promise']);
    rows.put('reservations', ...['a', 'b', 'c'].map((id) => ({ ...promise.right, id })));
    assert.equal((await stale(rows.db)).length, 2);
  });
});
