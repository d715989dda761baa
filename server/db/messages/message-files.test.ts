import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import {
  findMessageFileSize,
  findMessagesOfAttachments,
  listFileNamesOf,
  listFilesOf,
  listMessageFileIds,
  listMessageFiles,
  listRemovedFiles,
  removeMessageFile,
} from './message-files.ts';

const attached: Among<'message_attachments'> = {
  table: 'message_attachments',
  right: { message_id: 'message', attachment_id: 'a', position: 0 },
  wrong: { message_id: 'another' },
};

describe('Files of a message', () => {
  const rows = useRows();
  const inOrder = ['b', 'c', 'a'];
  const places = { b: 0, c: 1, a: 2 };
  const place = (id: 'a' | 'b' | 'c') => ({ message_id: 'message', attachment_id: id, position: places[id] });
  const others = ['b', 'c'].map((attachment_id) => ({ ...attached.right, message_id: 'another', attachment_id }));
  const names = (found: { fileName: string }[] | undefined) => found?.map(({ fileName }) => fileName);
  before(() => {
    const file = (id: string) => ({ id, name_sealed: rows.db.keys.sealText('name', id, id), size_bytes: 9 });
    rows.put('attachments', ...inOrder.map(file));
  });

  test('come in their order, without those of other messages', async () => {
    rows.put('message_attachments', place('a'), ...others, place('b'), place('c'));
    assert.deepEqual(names(await listMessageFiles(rows.db, 'message')), inOrder);
    assert.deepEqual(await listMessageFileIds(rows.db, 'message'), inOrder);
    assert.deepEqual(
      [...(await listFilesOf(rows.db, ['message']))].map(([id, files]) => [id, names(files)]),
      [['message', inOrder]],
    );
    const first = await listFileNamesOf(rows.db, ['message'], { firstOnly: true });
    assert.deepEqual(first, new Map([['message', { count: 3, names: ['b'] }]]));
  });

  test('that were removed come in their original order', async () => {
    const removed = { ...place('a'), message_id: 'another' };
    rows.put('removed_message_files', place('a'), removed, place('b'), place('c'));
    assert.deepEqual(names(await listRemovedFiles(rows.db, 'message')), inOrder);
  });

  test('have a size where the message has them', async () => {
    const wrong = { message_id: 'another', attachment_id: 'b' };
    await rows.finds({ ...attached, wrong }, (db) => findMessageFileSize(db, 'message', 'a'), 9);
  });

  test('are removed one at a time', async () => {
    rows.put('removed_message_files');
    rows.put('message_attachments', place('b'), { ...place('a'), message_id: 'another' }, place('a'));
    await removeMessageFile(rows.db, { messageId: 'message', attachmentId: 'a' }, 7);
    assert.deepEqual(rows.all('message_attachments'), [place('b'), { ...place('a'), message_id: 'another' }]);
    assert.deepEqual(rows.all('removed_message_files'), [{ ...place('a'), removed_at: 7 }]);
  });
});

describe('Messages that hold a file', () => {
  const rows = useRows();
  const find = async () =>
    [...(await findMessagesOfAttachments(rows.db, ['a'])).values()].flatMap((uses) => uses.map(({ id }) => id));

  test('are those that live and hold this one', async () => {
    rows.put('messages', { id: 'message', state: 'active' }, { id: 'another', state: 'released' });
    await rows.finds({ ...attached, wrong: { ...attached.wrong, attachment_id: 'b' } }, find, ['message']);
  });

  test('are in order of time', async () => {
    const made = (id: string, created_at: number) => ({ id, state: 'active', created_at }) as const;
    rows.put('messages', made('x', 2), made('y', 3), made('z', 1));
    rows.put('message_attachments', ...['x', 'y', 'z'].map((message_id) => ({ ...attached.right, message_id })));
    assert.deepEqual(await find(), ['z', 'x', 'y']);
  });
});
