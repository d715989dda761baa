import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { changeOwner, findOtherHolder, listTransferFiles, moveFile } from './transfer-owners.ts';

describe('What is handed over', () => {
  const rows = useRows();

  test('is this transfer, while it belongs to the previous owner', async () => {
    const right = { id: 'one', owner_id: 'alice' };
    const wrong = { id: 'other', owner_id: 'carol' };
    const becomes = { owner_id: 'bob', updated_at: 7 };
    const hand = (kind: 'link' | 'request' | 'message') =>
      changeOwner(rows.db, { id: 'one', kind, ownerId: 'alice' }, 'bob', 7);
    await rows.changes({ table: 'file_links', right, wrong }, () => hand('link'), becomes);
    await rows.changes({ table: 'file_requests', right, wrong }, () => hand('request'), becomes);
    await rows.changes({ table: 'messages', right, wrong }, () => hand('message'), becomes);
    await rows.finds({ table: 'messages', right, wrong }, () => hand('message'), true);
  });

  test('has the files of a link or a message, and of a request what waits to be delivered', async () => {
    const files = (kind: 'link' | 'request' | 'message') => () => listTransferFiles(rows.db, { id: 'one', kind });
    const link: Among<'file_links'> = {
      table: 'file_links',
      right: { id: 'one', attachment_id: 'file' },
      wrong: { id: 'other' },
    };
    await rows.finds(link, files('link'), ['file']);
    const handedIn: Among<'attachments'> = {
      table: 'attachments',
      right: { id: 'file', source: 'request:one' },
      wrong: { source: ['', 'request:other', 'drop:one'] },
    };
    await rows.finds(handedIn, files('request'), ['file']);
    const attached: Among<'message_attachments'> = {
      table: 'message_attachments',
      right: { message_id: 'one', attachment_id: 'file' },
      wrong: { message_id: 'other' },
    };
    await rows.finds(attached, files('message'), ['file']);
  });
});

describe('A file', () => {
  const rows = useRows();
  const find = () => findOtherHolder(rows.db, 'file', 'alice');

  test('is shared by an active message of another user', async () => {
    rows.put('file_links');
    rows.put('message_attachments', { message_id: 'one', attachment_id: 'file' });
    const message: Among<'messages'> = {
      table: 'messages',
      right: { id: 'one', owner_id: 'bob', state: 'active' },
      wrong: { id: 'other', owner_id: 'alice', state: ['released', 'revoked'] },
    };
    await rows.finds(message, find, 'bob');
    const attached: Among<'message_attachments'> = {
      table: 'message_attachments',
      right: { message_id: 'one', attachment_id: 'file' },
      wrong: { attachment_id: 'another' },
    };
    await rows.finds(attached, find, 'bob');
  });

  test('is shared by an active link of another user', async () => {
    rows.put('messages');
    const link: Among<'file_links'> = {
      table: 'file_links',
      right: { id: 'one', owner_id: 'bob', attachment_id: 'file', state: 'active' },
      wrong: { owner_id: 'alice', attachment_id: 'another', state: ['released', 'deleted'] },
    };
    await rows.finds(link, find, 'bob');
  });

  const file: Among<'attachments'> = {
    table: 'attachments',
    right: { id: 'file', owner_id: 'alice', state: 'ready', size_bytes: 9 },
    wrong: { id: 'another', state: 'erased' },
  };

  test('stays with an owner who got it after it was read', async () => {
    let isLookedAt = false;
    const meanwhile = new Proxy(rows.db, {
      get(db, name) {
        if (name === 'updateTable' && !isLookedAt) {
          isLookedAt = true;
          rows.put('attachments', { ...file.right, owner_id: 'carol' });
        }
        const method: unknown = Reflect.get(db, name);
        return typeof method === 'function' ? method.bind(db) : method;
      },
    });
    rows.put('attachments', file.right);
    await moveFile(meanwhile, 'file', 'bob');
    assert.equal(rows.all('attachments')[0]?.owner_id, 'carol');
  });

  test('stays while a hold is on its owner', async () => {
    rows.put('attachments', file.right);
    const hold = { id: 'hold', target_kind: 'user', target_id: 'alice', lifted_at: null } as const;
    rows.put('legal_holds', hold);
    await moveFile(rows.db, 'file', 'bob');
    assert.equal(rows.all('attachments')[0]?.owner_id, 'alice');
    rows.put('attachments', { ...file.right, source: 'request:one' });
    await moveFile(rows.db, 'file', 'bob');
    assert.equal(rows.all('attachments')[0]?.owner_id, 'bob', 'what waits to be delivered goes along');
    rows.put('attachments', file.right);
    const others = [{ lifted_at: 5 }, { target_id: 'bob' }, { target_kind: 'message' as const }];
    rows.put('legal_holds', ...others.map((other, index) => ({ ...hold, ...other, id: `${index}` })));
    await moveFile(rows.db, 'file', 'bob');
    assert.equal(rows.all('attachments')[0]?.owner_id, 'bob');
    rows.put('legal_holds');
  });

  test('moves with its storage, unless it was erased', async () => {
    rows.put('users');
    await rows.changes(file, (tx) => moveFile(tx, 'file', 'bob'), { owner_id: 'bob' });
    const stored = (id: string) => ({ id, email: id, stored_bytes: 100 });
    rows.put('users', ...['alice', 'bob', 'carol'].map(stored));
    rows.put('attachments', { id: 'beside', owner_id: 'alice', size_bytes: 1 }, { ...file.right });
    await moveFile(rows.db, 'file', 'bob');
    assert.deepEqual(
      rows.all('users').map(({ stored_bytes }) => stored_bytes),
      [91, 109, 100],
    );
    assert.deepEqual(
      rows.all('attachments').map(({ owner_id }) => owner_id),
      ['alice', 'bob'],
    );
  });
});
