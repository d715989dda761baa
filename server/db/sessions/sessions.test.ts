import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  deleteOldSessions,
  deleteOtherSessions,
  deleteSession,
  deleteSessionsOf,
  findSession,
  listSessionsOf,
  touchSession,
} from './sessions.ts';

const [mine, other] = [Buffer.from('mine'), Buffer.from('other')];

describe('Among other sessions', () => {
  const rows = useRows();
  const session: Among<'sessions'> = {
    table: 'sessions',
    right: { id_hash: mine, user_id: 'alice', state: 'active', expires_at: 11 },
    wrong: { id_hash: other },
  };
  const ofAlice: Among<'sessions'> = { ...session, wrong: { user_id: 'bob' } };

  test('one is found until it ends', async () => {
    const find = async (db: Query) => (await findSession(db, mine, 10))?.userId;
    await rows.finds({ ...session, wrong: { id_hash: other, expires_at: 10 } }, find, 'alice');
  });

  test('a user is signed in with an active session until it ends', async () => {
    const wrong = { user_id: 'bob', state: 'pending', expires_at: 10 } as const;
    const list = async (db: Query) => (await listSessionsOf(db, 'alice', 10)).length;
    await rows.finds({ ...session, wrong }, list, 1);
  });

  test('the last used ones are listed, two hundred of them', async () => {
    const made = (active_at: number) => ({ ...session.right, id_hash: Buffer.from(`${active_at}`), active_at });
    rows.put('sessions', made(2), made(3), made(1));
    const used = async () => (await listSessionsOf(rows.db, 'alice', 10)).map(({ activeAt }) => activeAt);
    assert.deepEqual(await used(), [3, 2, 1]);
    rows.put('sessions', ...Array.from({ length: 201 }, (_, index) => made(index)));
    assert.equal((await used()).length, 200);
  });

  test('one is used, or ends', async () => {
    await rows.changes(session, (tx) => touchSession(tx, mine, 9), { active_at: 9 });
    await rows.changes(session, (tx) => deleteSession(tx, mine), null);
  });

  test('those of one person end, all or all but one', async () => {
    await rows.changes(ofAlice, (tx) => deleteSessionsOf(tx, 'alice'), null);
    await rows.changes(ofAlice, (tx) => deleteOtherSessions(tx, 'alice', null), null);
    const kept = { ...session, wrong: { user_id: 'bob', id_hash: other } };
    await rows.changes(kept, (tx) => deleteOtherSessions(tx, 'alice', other), null);
  });

  test('those that are over are forgotten', async () => {
    await rows.changes({ ...session, wrong: { expires_at: 12 } }, (tx) => deleteOldSessions(tx, 12), null);
  });
});
