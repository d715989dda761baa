import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { eraseAttachment, listReleasedFromHold } from '../attachments/attachments.ts';
import type { Query, Tx } from '../schema/schema.ts';
import { findHold, isPersonOnHold, liftHold, listHolds } from './legal-holds.ts';

const hold: Among<'legal_holds'> = {
  table: 'legal_holds',
  right: { id: 'hold', target_kind: 'user', target_id: 'alice', owner_id: 'alice', lifted_at: null },
  wrong: { lifted_at: 5 },
};

describe('A hold', () => {
  const rows = useRows();

  const erased = { state: 'erased', data_key_wrapped: Buffer.from('key') } as const;

  test('retains the key of a file of the person while it is in force', async () => {
    const stored = { data_key_wrapped: Buffer.from('key'), reference_count: 0 };
    const wrong = { ...hold.wrong, target_kind: 'message' as const, target_id: 'bob' };
    const erase = async (db: Query) => {
      rows.put('attachments', { id: 'file', owner_id: 'alice', ...stored });
      return (await eraseAttachment(db as Tx, 'file', false))?.isKept;
    };
    await rows.finds({ ...hold, wrong }, erase, true);
  });

  test('lets go of files that were erased meanwhile when it is lifted, and of those of others', async () => {
    rows.put('legal_holds', hold.right, { ...hold.right, id: 'lifted', target_id: 'bob', lifted_at: 5 });
    const file: Among<'attachments'> = {
      table: 'attachments',
      right: { id: 'file', owner_id: 'bob', ...erased },
      wrong: { owner_id: 'alice', state: 'ready', data_key_wrapped: null },
    };
    await rows.finds(file, (db) => listReleasedFromHold(db, 10), ['file']);
  });

  test('is on a person when it is about something of theirs, and in force', async () => {
    const right = { ...hold.right, target_kind: 'message', target_id: 'message' } as const;
    await rows.finds(
      { ...hold, right, wrong: { ...hold.wrong, owner_id: 'bob' } },
      (db) => isPersonOnHold(db, 'alice'),
      true,
    );
  });

  test('is on a person to whom something of it was handed over', async () => {
    const onAlice = (db: Query) => isPersonOnHold(db, 'alice');
    const ofBob = { ...hold.right, owner_id: 'bob', target_id: 'thing' };
    for (const table of ['messages', 'file_links', 'file_requests'] as const) {
      const thing: Among<typeof table> = { table, right: { id: 'thing', owner_id: 'alice' }, wrong: {} };
      const wrong = { id: 'other', owner_id: 'bob' };
      rows.put('legal_holds', ofBob);
      await rows.finds({ ...thing, wrong }, onAlice, true);
      rows.put(table, thing.right);
      await rows.finds({ ...hold, right: ofBob }, onAlice, true);
      rows.put(table);
    }
    rows.put('legal_holds', { ...ofBob, target_id: 'bob' });
    rows.put('attachments', { id: 'file', owner_id: 'bob' });
    rows.put('message_attachments', { message_id: 'sent', attachment_id: 'file' });
    const sent: Among<'messages'> = { table: 'messages', right: { id: 'sent', owner_id: 'alice' }, wrong: {} };
    await rows.finds({ ...sent, wrong: { id: 'other', owner_id: 'bob' } }, onAlice, true);
    rows.put('messages');
    const link: Among<'file_links'> = {
      table: 'file_links',
      right: { id: 'link', owner_id: 'alice', attachment_id: 'file' },
      wrong: { owner_id: 'bob', attachment_id: 'other' },
    };
    await rows.finds(link, onAlice, true);
    rows.put('file_links');
  });

  test('is found by its id, and lifted once', async () => {
    await rows.finds({ ...hold, wrong: { id: 'other' } }, async (db) => (await findHold(db, 'hold'))?.id, 'hold');
    const lift = (tx: Parameters<typeof liftHold>[0]) => liftHold(tx, 'hold', { reason: 'over', by: 'bob', now: 7 });
    const one = { ...hold, wrong: { ...hold.wrong, id: 'other' } };
    await rows.changes(one, lift, { lift_reason: 'over', lifted_by: 'bob', lifted_at: 7 });
    await rows.finds(one, lift, true);
  });
});

describe('The list of holds', () => {
  const rows = useRows();

  test('has those in force first, then the newest, then by id, as many as are asked for', async () => {
    const set = (id: string, set_at: number, lifted_at: number | null = null) => ({
      ...hold.right,
      id,
      target_id: id,
      set_at,
      lifted_at,
    });
    rows.put(
      'legal_holds',
      set('lifted', 9, 10),
      set('c', 2),
      set('b', 2),
      set('old', 1),
      set('new', 3),
      set('x', 0, 1),
    );
    const list = async (limit: number) => (await listHolds(rows.db, limit)).map(({ id }) => id);
    assert.deepEqual(await list(9), ['new', 'b', 'c', 'old', 'lifted', 'x']);
    assert.deepEqual(await list(2), ['new', 'b']);
  });
});
