import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { countFiles, type FileOrder, listFilesPage, listLinkUses, listMessageUses } from './reusable-files.ts';

const filter = { ownerId: 'alice', uptime: 5 };

describe('Among other files', () => {
  const rows = useRows();
  const file: Among<'attachments'> = {
    table: 'attachments',
    right: { id: 'file', owner_id: 'alice', source: '', state: 'ready', erase_after_uptime: 6 },
    wrong: {
      owner_id: 'bob',
      source: 'drop:key',
      state: ['sealing', 'damaged', 'failed', 'erased'],
      erase_after_uptime: 5,
    },
  };

  test('one is offered to its owner while it is whole and not about to be erased', async () => {
    await rows.finds(file, (db) => countFiles(db, filter), 1);
    rows.put('attachments', { ...file.right, erase_after_uptime: null });
    assert.equal(await countFiles(rows.db, filter), 1);
  });

  test('they are offered by date or size and then by id, a page at a time', async () => {
    const made = (id: string, created_at: number, size_bytes: number) => ({
      ...file.right,
      id,
      created_at,
      size_bytes,
    });
    rows.put('attachments', made('c', 1, 5), made('a', 1, 7), made('b', 1, 6), made('d', 0, 8));
    const page = async (by: FileOrder['by'], direction: FileOrder['direction']) =>
      (await listFilesPage(rows.db, filter, { by, direction }, { offset: 1, limit: 2 })).map(({ id }) => id).join();
    assert.equal(await page('createdAt', 'asc'), 'a,b');
    assert.equal(await page('createdAt', 'desc'), 'b,a');
    assert.equal(await page('sizeBytes', 'asc'), 'b,a');
    assert.equal(await page('sizeBytes', 'desc'), 'a,b');
  });
});

describe('A file is in use', () => {
  const rows = useRows();
  const ids = async (uses: Promise<{ id: string }[]>) => (await uses).map(({ id }) => id);
  const inMessages = (db: Query) => ids(listMessageUses(db, ['file', 'next'], 10));
  const inLinks = (db: Query) => ids(listLinkUses(db, ['file', 'next'], 10));

  test('by messages that can be opened, newest first', async () => {
    const message = (id: string, created_at: number) => ({
      id,
      state: 'active' as const,
      expires_at: 11,
      created_at,
      subject_sealed: rows.db.keys.sealText('text', '', `${id}/subject`),
    });
    const right = { message_id: 'b', attachment_id: 'file' };
    rows.put('messages', message('b', 2));
    const wrong = { message_id: 'other', attachment_id: 'other' };
    await rows.finds({ table: 'message_attachments', right, wrong }, inMessages, ['b']);
    const ended: Among<'messages'>['wrong'] = { id: 'other', state: ['released', 'revoked'], expires_at: 10 };
    await rows.finds({ table: 'messages', right: message('b', 2), wrong: ended }, inMessages, ['b']);
    rows.put('messages', message('b', 2), message('c', 3), message('a', 1));
    rows.put('message_attachments', right, { ...right, message_id: 'a' }, { ...right, message_id: 'c' });
    assert.deepEqual(await inMessages(rows.db), ['c', 'b', 'a']);
  });

  test('by links that can be opened, newest first', async () => {
    const link = (id: string, created_at: number) => ({
      id,
      attachment_id: 'file',
      state: 'active' as const,
      expires_at: 11,
      created_at,
    });
    const wrong: Among<'file_links'>['wrong'] = {
      attachment_id: 'other',
      state: ['released', 'deleted'],
      expires_at: 10,
    };
    await rows.finds({ table: 'file_links', right: link('b', 2), wrong }, inLinks, ['b']);
    rows.put('file_links', link('b', 2), link('c', 3), link('a', 1));
    assert.deepEqual(await inLinks(rows.db), ['c', 'b', 'a']);
  });
});
