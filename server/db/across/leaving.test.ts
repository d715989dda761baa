import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query, Tx } from '../schema/schema.ts';
import {
  type AccessCounts,
  countRunningDownloads,
  deleteAccessOf,
  isUserActive,
  listActiveUsers,
  listObjectsSince,
} from './leaving.ts';

const leave = (tx: Tx) => deleteAccessOf(tx, { userId: 'alice', addresses: ['a@one', 'a@two'], now: 10, maxIdleMs: 3 });
const counts = (of: keyof AccessCounts) => async (tx: Tx) => (await leave(tx))[of];

describe('Of the access of a user who leaves', () => {
  const rows = useRows();
  const key = { id: 'key', user_id: 'alice', expires_at: null };
  const session: Among<'sessions'> = {
    table: 'sessions',
    right: { id_hash: Buffer.from('1'), user_id: 'alice', state: 'active', expires_at: 11, active_at: 7 },
    wrong: { user_id: 'bob', state: 'pending', expires_at: 10, active_at: 6 },
  };
  const link: Among<'one_time_tokens'> = {
    table: 'one_time_tokens',
    right: { id_hash: Buffer.from('1'), user_id: 'alice', used_at: null, expires_at: 11 },
    wrong: { user_id: 'bob', used_at: 5 },
  };
  const proof: Among<'proofs'> = {
    table: 'proofs',
    right: { id_hash: Buffer.from('1'), address: 'a@two', expires_at: 11 },
    wrong: { address: 'b@one' },
  };
  const dropKey: Among<'drop_keys'> = {
    table: 'drop_keys',
    right: { id: 'key', owner_id: 'alice', state: 'open', expires_at: 11 },
    wrong: { owner_id: 'bob', state: 'used' },
  };

  test('keys that work are counted, and all are named, oldest first, then by id', async () => {
    await rows.finds(
      { table: 'api_keys', right: key, wrong: { user_id: 'bob', expires_at: 10 } },
      counts('apiKeys'),
      1,
    );
    const made = (id: string, created_at: number) => ({
      ...key,
      id,
      lookup: Buffer.from(id),
      created_at,
      expires_at: 1,
    });
    rows.put('api_keys', made('d', 1), made('b', 2), made('a', 2), made('c', 0));
    assert.deepEqual(await counts('apiKeyIds')(rows.db), ['c', 'd', 'a', 'b']);
  });

  test('sessions count if they are active, not expired, and recently used or permanent', async () => {
    await rows.finds(session, counts('sessions'), 1);
    const kept = {
      ...session,
      right: { ...session.right, is_kept: 1 as const, active_at: 0 },
      wrong: { is_kept: 0 as const },
    };
    await rows.finds(kept, counts('sessions'), 1);
  });

  test('links for a password are counted that are neither used nor over', async () => {
    await rows.finds({ ...link, wrong: { ...link.wrong, expires_at: 10 } }, counts('passwordLinks'), 1);
  });

  test('browsers are counted that have proven one of the addresses', async () => {
    await rows.finds({ ...proof, wrong: { ...proof.wrong, expires_at: 10 } }, counts('provenBrowsers'), 1);
  });

  test('keys of the drop page are counted that still work', async () => {
    await rows.finds({ ...dropKey, wrong: { ...dropKey.wrong, expires_at: 10 } }, counts('dropKeys'), 1);
  });

  test('everything ends, and nothing of anybody else', async () => {
    const { user_id } = session.wrong;
    await rows.changes({ table: 'api_keys', right: key, wrong: { user_id } as { user_id: string } }, leave, null);
    await rows.changes({ ...session, wrong: { user_id: 'bob' } }, leave, null);
    await rows.changes(link, leave, null);
    await rows.changes(proof, leave, null);
    await rows.changes({ ...dropKey, wrong: { owner_id: 'bob' } }, leave, { state: 'used' });
    const pairing = { token_hash: Buffer.from('1'), user_id: 'alice' };
    await rows.changes({ table: 'pairings', right: pairing, wrong: { user_id: ['bob', null] } }, leave, null);
  });
});

describe('Around a user who leaves', () => {
  const rows = useRows();

  test('downloads run that have begun and not ended, of their files or by their addresses', async () => {
    const line: Among<'downloads'> = {
      table: 'downloads',
      right: { owner_id: 'alice', recipient: 'c@one', outcome: 'granted', finished_at: null },
      wrong: { owner_id: 'bob', outcome: ['complete', 'partial', 'cut', 'refunded'], finished_at: 5 },
    };
    await rows.finds(line, (db) => countRunningDownloads(db, 'alice', ['a@one']), 1);
    await rows.finds(line, (db) => countRunningDownloads(db, 'alice', []), 1);
    const byThem: Among<'downloads'> = {
      ...line,
      right: { ...line.right, owner_id: 'bob', recipient: 'a@one' },
      wrong: { recipient: ['', 'c@one'] },
    };
    await rows.finds(byThem, (db) => countRunningDownloads(db, 'alice', ['a@one']), 1);
  });

  test('things were acted on that are theirs, since then, each once', async () => {
    const event: Among<'events'> = {
      table: 'events',
      right: { seq: 6, owner_id: 'alice', object_id: 'file', action: 'link.created' },
      wrong: { seq: 5, owner_id: 'bob', action: 'link.deleted' },
    };
    const things = (db: Query) => listObjectsSince(db, 'alice', { afterSeq: 5, actions: ['link.created'] });
    await rows.finds(event, things, ['file']);
    rows.put('events', event.right, { ...event.right, seq: 7 });
    assert.deepEqual(await things(rows.db), ['file']);
  });

  test('people may act who are active', async () => {
    const person: Among<'users'> = {
      table: 'users',
      right: { id: 'alice', state: 'active' },
      wrong: { id: 'bob', state: ['disabled', 'deleted'] },
    };
    await rows.finds(person, (db) => isUserActive(db, 'alice'), true);
    await rows.finds(person, (db) => listActiveUsers(db, ['alice', 'carol']), new Set(['alice']));
  });
});
