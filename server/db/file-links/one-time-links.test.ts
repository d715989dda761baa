// Links for choosing a password, among links that are nearly the one that is meant.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { OneTimeTokensTable } from '../schema/schema.ts';
import {
  consumeOneTimeLink,
  deleteOldOneTimeLinks,
  deleteOneTimeLinksOf,
  findOneTimeLink,
  replaceOneTimeLink,
} from './one-time-links.ts';

const [mine, other] = [Buffer.from('mine'), Buffer.from('other')];

describe('Among other links for a password', () => {
  const rows = useRows();
  const link: Among<'one_time_tokens'> = {
    table: 'one_time_tokens',
    right: { id_hash: mine, kind: 'reset', user_id: 'alice', used_at: null, expires_at: 11 },
    wrong: { user_id: 'bob', used_at: 5 },
  };

  test('one is found by its hash', async () => {
    await rows.finds(
      { ...link, wrong: { id_hash: other } },
      async (db) => (await findOneTimeLink(db, mine))?.userId,
      'alice',
    );
  });

  test('one serves once, before its end', async () => {
    const wrong = { id_hash: other, used_at: 5, expires_at: 10 };
    await rows.changes({ ...link, wrong }, (tx) => consumeOneTimeLink(tx, mine, 10), { used_at: 10 });
  });

  test('a newer one takes the place of those of the same account and kind that wait', async () => {
    const newer = { idHash: other, kind: 'reset', userId: 'alice', createdAt: 9, expiresAt: 20 } as const;
    const isReplaced = async (columns: Partial<OneTimeTokensTable>) => {
      rows.put('one_time_tokens', { ...link.right, ...columns });
      await replaceOneTimeLink(rows.db, newer);
      return rows.all('one_time_tokens').length === 1;
    };
    assert.equal(await isReplaced({}), true);
    assert.equal(await isReplaced({ user_id: 'bob' }), false);
    assert.equal(await isReplaced({ kind: 'invitation' }), false);
    assert.equal(await isReplaced({ used_at: 5 }), false);
  });

  test('those that wait end with the account', async () => {
    await rows.changes(link, (tx) => deleteOneTimeLinksOf(tx, 'alice'), null);
  });

  test('those that ended a month ago are forgotten', async () => {
    const month = 30 * 86_400_000;
    await rows.changes({ ...link, wrong: { expires_at: 12 } }, (tx) => deleteOldOneTimeLinks(tx, month + 12), null);
  });
});
