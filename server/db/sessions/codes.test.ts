import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query, Tx } from '../schema/schema.ts';
import {
  burnCode,
  type CodeScope,
  consumeCode,
  consumeCodeLink,
  deleteOldCodes,
  endProofsOf,
  findCode,
  findCodeByLink,
  listCodeTimes,
  listProvenAddresses,
  spendAttempt,
} from './codes.ts';

const [mine, other] = [Buffer.from('mine'), Buffer.from('other')];
const day = 86_400_000;

describe('Among other codes', () => {
  const rows = useRows();
  const code: Among<'codes'> = {
    table: 'codes',
    right: {
      id: 'code',
      address: 'a@one',
      target: 'message:id',
      network: 'near',
      nonce_hash: mine,
      link_hash: mine,
      state: 'issued',
      link_state: 'open',
      created_at: 6,
      expires_at: 11,
    },
    wrong: { id: 'other' },
  };
  const made = (id: string, created_at: number) => ({ ...code.right, id, link_hash: Buffer.from(id), created_at });

  test('those are counted that agree in all that a limit asks for, the newest first', async () => {
    const times = (scope: CodeScope) => (db: Query) => listCodeTimes(db, scope, { since: 5, limit: 2 });
    const whole = { address: 'a@one', target: 'message:id', network: 'near' };
    const wrong = { address: 'b@one', target: 'link:id', network: 'far', created_at: 5 };
    await rows.finds({ ...code, wrong }, times(whole), [6]);
    await rows.finds({ ...code, wrong: { is_unknown: 1 } }, times({ isKnown: true }), [6]);
    rows.put('codes', made('a', 7), made('b', 6), made('c', 8));
    assert.deepEqual(await times(whole)(rows.db), [8, 7]);
  });

  test('the newest of a browser for a target is found, or the one of a button', async () => {
    const find = async (db: Query) => (await findCode(db, mine, 'message:id'))?.id;
    await rows.finds({ ...code, wrong: { nonce_hash: other, target: 'link:id' } }, find, 'code');
    rows.put('codes', made('a', 7), made('b', 6), made('c', 8));
    assert.equal(await find(rows.db), 'c');
    const byLink = async (db: Query) => (await findCodeByLink(db, mine))?.id;
    await rows.finds({ ...code, wrong: { link_hash: [other, null] } }, byLink, 'code');
  });

  test('a button serves once, before its end', async () => {
    const wrong = { id: 'other', link_state: 'used', expires_at: 10 } as const;
    await rows.finds({ ...code, wrong }, (tx) => consumeCodeLink(tx, 'code', 10), true);
    await rows.changes({ ...code, wrong }, (tx) => consumeCodeLink(tx, 'code', 10), { link_state: 'used' });
  });

  test('a code is tried so often, and serves or burns once', async () => {
    const issued: Among<'codes'> = { ...code, wrong: { id: 'other', state: ['used', 'burned'] } };
    const tries = { ...issued, wrong: { ...issued.wrong, tries: 3, expires_at: 10 } };
    const spend = (tx: Tx) => spendAttempt(tx, 'code', { most: 3, now: 10 });
    await rows.changes(tries, spend, { tries: 1 });
    await rows.finds(tries, spend, 1);
    await rows.finds(issued, (tx) => consumeCode(tx, 'code'), true);
    await rows.changes(issued, (tx) => consumeCode(tx, 'code'), { state: 'used' });
    await rows.changes(issued, (tx) => burnCode(tx, 'code'), { state: 'burned' });
  });

  test('those for addresses that lost access end now', async () => {
    const end = (tx: Tx) => endProofsOf(tx, ['a@two', 'a@one'], 10);
    await rows.changes({ ...code, wrong: { address: 'b@one', expires_at: 9 } }, end, { expires_at: 10 });
  });

  test('those that ended a day ago are forgotten', async () => {
    await rows.changes({ ...code, wrong: { expires_at: 12 } }, (tx) => deleteOldCodes(tx, day + 12), null);
  });
});

describe('Among other proofs', () => {
  const rows = useRows();
  const proof: Among<'proofs'> = {
    table: 'proofs',
    right: { id_hash: mine, address: 'a@one', expires_at: 11 },
    wrong: { id_hash: other, expires_at: 10 },
  };

  test('those of a browser count until they end, the newest first', async () => {
    const proven = (db: Query) => listProvenAddresses(db, mine, 10);
    await rows.finds(proof, proven, ['a@one']);
    const made = (address: string, created_at: number) => ({ ...proof.right, address, created_at });
    rows.put('proofs', made('a', 2), made('b', 1), made('c', 3));
    assert.deepEqual(await proven(rows.db), ['c', 'a', 'b']);
  });

  test('those that have ended are forgotten', async () => {
    await rows.changes({ ...proof, wrong: { expires_at: 12 } }, (tx) => deleteOldCodes(tx, 12), null);
  });
});
