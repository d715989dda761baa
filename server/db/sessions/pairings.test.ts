import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  answerPairing,
  claimPairing,
  deleteOldPairings,
  deletePairingsOf,
  findPairingState,
  findWaitingPairing,
} from './pairings.ts';

const [token, code, other] = [Buffer.from('token'), Buffer.from('code'), Buffer.from('other')];

describe('Among other programs that wait', () => {
  const rows = useRows();
  const waiting: Among<'pairings'> = {
    table: 'pairings',
    right: { token_hash: token, code_hash: code, name: 'laptop', state: 'waiting', user_id: null, expires_at: 11 },
    wrong: { code_hash: other, state: ['allowed', 'refused', 'claimed'], expires_at: 10 },
  };
  const allowed: Among<'pairings'> = {
    ...waiting,
    right: { ...waiting.right, state: 'allowed', user_id: 'alice' },
    wrong: { token_hash: other, state: ['waiting', 'refused', 'claimed'], expires_at: 10 },
  };

  test('one is found by its code until it is answered', async () => {
    await rows.finds(waiting, async (db) => (await findWaitingPairing(db, code, 10))?.name, 'laptop');
  });

  test('one is answered once, before it ends', async () => {
    const answer = { codeHash: code, userId: 'alice', state: 'allowed', now: 10 } as const;
    await rows.changes(waiting, (tx) => answerPairing(tx, answer), { state: 'allowed', user_id: 'alice' });
  });

  test('one learns what became of it, until it ends', async () => {
    const find = (db: Query) => findPairingState(db, token, 10);
    await rows.finds({ ...allowed, wrong: { token_hash: other, expires_at: 10 } }, find, 'allowed');
  });

  test('one that was allowed is claimed once, before it ends', async () => {
    await rows.finds(allowed, (tx) => claimPairing(tx, token, 10), { userId: 'alice', name: 'laptop' });
    const { state: _, ...wrong } = allowed.wrong;
    await rows.changes({ ...allowed, wrong }, (tx) => claimPairing(tx, token, 10), { state: 'claimed' });
    rows.put('pairings', waiting.right);
    assert.equal(await claimPairing(rows.db, token, 10), null);
  });

  test('those that a user has confirmed are deleted with the user', async () => {
    await rows.changes({ ...allowed, wrong: { user_id: ['bob', null] } }, (tx) => deletePairingsOf(tx, 'alice'), null);
  });

  test('those that are over are forgotten', async () => {
    await rows.changes({ ...waiting, wrong: { expires_at: 12 } }, (tx) => deleteOldPairings(tx, 12), null);
  });
});
