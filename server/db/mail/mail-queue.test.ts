import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  countRefusedMails,
  countWaitingMails,
  dropMail,
  findMailRecord,
  listMails,
  listRefusedMails,
  type MailFilter,
  retryMail,
} from './mail-queue.ts';

const all: MailFilter = { states: null, domain: null, after: null };
const right = { id: 'mail', recipient: 'b@one.example', state: 'failed', finished_at: 6 } as const;
const among = (wrong: Among<'outbox'>['wrong']): Among<'outbox'> => ({ table: 'outbox', right, wrong });

describe('Among other mails of the outbox', () => {
  const rows = useRows();
  const ids = async (found: Promise<{ id: string }[]>) => (await found).map(({ id }) => id);
  const list = (filter: Partial<MailFilter>) => (db: Query) => ids(listMails(db, { ...all, ...filter }, 2));

  test('they are listed newest first, then by id from the end, from behind one on', async () => {
    const made = (id: string, created_at: number) => ({ ...right, id, created_at });
    rows.put('outbox', made('b', 2), made('c', 2), made('d', 1), made('a', 3));
    assert.deepEqual(await list({})(rows.db), ['a', 'c']);
    assert.deepEqual(await list({ after: { createdAt: 2, id: 'c' } })(rows.db), ['b', 'd']);
  });

  test('they are filtered by state and by domain', async () => {
    await rows.finds(among({ state: 'sent' }), list({ states: ['failed', 'pending'] }), ['mail']);
    const elsewhere = among({ recipient: ['b@two.example', 'b@someone.example'] });
    await rows.finds(elsewhere, list({ domain: 'One.example' }), ['mail']);
  });

  test('one is found by its id', async () => {
    await rows.finds(among({ id: 'other' }), async (db) => (await findMailRecord(db, 'mail'))?.id, 'mail');
  });

  test('one that was refused is due at once and leaves its group', async () => {
    const refused: Among<'outbox'> = {
      table: 'outbox',
      right: { ...right, lease_ends_at: 20, group_key: 'group' },
      wrong: { id: 'other', state: ['sending', 'sent', 'cancelled'] },
    };
    const due = { state: 'pending', next_at: 9, lease_ends_at: 0, finished_at: null, group_key: null } as const;
    await rows.changes(refused, (tx) => retryMail(tx, 'mail', 9), due);
  });

  test('one that waits is dropped', async () => {
    const waiting: Among<'outbox'> = {
      table: 'outbox',
      right: { ...right, state: 'pending' },
      wrong: { id: 'other', state: ['sending', 'sent', 'failed'] },
    };
    const dropped = { state: 'cancelled', server_text: 'why', finished_at: 9 } as const;
    await rows.changes(waiting, (tx) => dropMail(tx, 'mail', 'why', 9), dropped);
    await rows.finds({ ...waiting, wrong: { state: ['sent', 'failed', 'cancelled'] } }, countWaitingMails, 1);
  });

  test('those that were refused lately are counted, and listed from the latest on', async () => {
    const wrong = among({ state: ['pending', 'sent', 'cancelled'], finished_at: 5 });
    await rows.finds(wrong, (db) => countRefusedMails(db, 5), 1);
    await rows.finds(wrong, (db) => ids(listRefusedMails(db, 5, 2)), ['mail']);
    const made = (id: string, finished_at: number) => ({ ...right, id, finished_at });
    rows.put('outbox', made('a', 7), made('b', 6), made('c', 8));
    assert.deepEqual(await ids(listRefusedMails(rows.db, 5, 2)), ['c', 'a']);
  });
});
