import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  countFinishedFiles,
  listDamagedAfter,
  listFileIdsAfter,
  listLargestFiles,
  listStorageByAge,
  listStorageOfUsers,
  listUnsharedFiles,
  sumStorage,
} from './storage.ts';

const letGo: Among<'attachments'> = {
  table: 'attachments',
  right: { id: 'file', owner_id: 'alice', state: 'ready', size_bytes: 3, reference_count: 0, erase_after_uptime: 5 },
  wrong: { erase_after_uptime: null, reference_count: 1, state: 'erased', source: 'drop:key' },
};

describe('Room', () => {
  const rows = useRows();

  test('is used by files that are not erased', async () => {
    const all = async (db: Query) => {
      const { files, bytes } = await sumStorage(db);
      return [files, bytes];
    };
    await rows.finds({ ...letGo, wrong: { state: 'erased' } }, all, [1, 3]);
  });

  test('will be free where a shared file was let go and is to be erased', async () => {
    rows.put('message_attachments', { message_id: 'message', attachment_id: 'file' });
    const waiting = async (db: Query) => {
      const { waitingFiles, waitingBytes } = await sumStorage(db);
      return [waitingFiles, waitingBytes];
    };
    await rows.finds(letGo, waiting, [1, 3]);
  });

  test('is used by open uploads', async () => {
    const unfinished = async (db: Query) => {
      const { unfinishedUploads, unfinishedBytes } = await sumStorage(db);
      return [unfinishedUploads, unfinishedBytes];
    };
    const right = { id: 'upload', state: 'open', received_bytes: 4 } as const;
    const wrong: Among<'uploads'>['wrong'] = { state: ['sealing', 'ready', 'failed', 'abandoned'] };
    await rows.finds({ table: 'uploads', right, wrong }, unfinished, [1, 4]);
  });

  test('is listed for the users with the most, without deleted and empty accounts', async () => {
    const people = async (db: Query) => (await listStorageOfUsers(db, 2)).map(({ id }) => id);
    const person = (id: string, stored_bytes: number) => ({ id, email: id, state: 'active' as const, stored_bytes });
    const wrong = { state: 'deleted', stored_bytes: 0 } as const;
    await rows.finds({ table: 'users', right: person('alice', 2), wrong }, people, ['alice']);
    rows.put('users', person('alice', 2), person('bob', 1), person('carol', 3));
    assert.deepEqual(await people(rows.db), ['carol', 'alice']);
  });

  test('is listed for the largest files', async () => {
    rows.put('users', { id: 'alice' });
    const files = async (db: Query) => (await listLargestFiles(db, 2)).map(({ id }) => id);
    await rows.finds({ ...letGo, wrong: { state: 'erased', owner_id: 'nobody' } }, files, ['file']);
    const file = (id: string, size_bytes: number) => ({ ...letGo.right, id, size_bytes });
    rows.put('attachments', file('a', 2), file('b', 1), file('c', 3));
    assert.deepEqual(await files(rows.db), ['c', 'a']);
  });
});

describe('Room by the age of files', () => {
  const rows = useRows();
  const day = 86_400_000;

  test('is that of one span each', async () => {
    const made = (id: string, created_at: number) => ({ ...letGo.right, id, created_at });
    rows.put('attachments', made('a', 8 * day), made('b', 9 * day), made('c', 7 * day), made('d', 10 * day));
    const spans = await listStorageByAge(rows.db, [1, 2], 10 * day);
    assert.deepEqual(
      spans.map(({ upToDays, files, bytes }) => [upToDays, files, bytes]),
      [
        [1, 2, 6],
        [2, 1, 3],
        [null, 1, 3],
      ],
    );
  });

  test('is none for files that are erased', async () => {
    const files = async (db: Query) => (await listStorageByAge(db, [], day))[0]?.files;
    await rows.finds({ ...letGo, wrong: { state: 'erased' } }, files, 1);
  });
});

describe('Going through files in order of id', () => {
  const rows = useRows({ isReversed: true });
  const file = (id: string) => ({ ...letGo.right, id });

  test('one was let go that nothing shares any more, neither a message nor a link', async () => {
    const files = (db: Query) => listUnsharedFiles(db, 'a', 2);
    rows.put('file_links', { id: 'link', attachment_id: 'file' });
    await rows.finds({ ...letGo, wrong: { ...letGo.wrong, id: 'a' } }, files, ['file']);
    rows.put('file_links', ...['a', 'b', 'c', 'd'].map((id) => ({ id, attachment_id: id })));
    rows.put('attachments', file('a'), file('c'), file('d'), file('b'));
    assert.deepEqual(await files(rows.db), ['b', 'c']);
  });

  test('one was shared by a link, by a message, or by a message from which it was removed', async () => {
    const files = (db: Query) => listUnsharedFiles(db, '', 2);
    rows.put('file_links');
    rows.put('attachments', letGo.right);
    const wrong = { attachment_id: 'other' };
    for (const table of ['message_attachments', 'removed_message_files'] as const) {
      await rows.finds({ table, right: { message_id: 'message', attachment_id: 'file' }, wrong }, files, ['file']);
      rows.put(table);
    }
    await rows.finds({ table: 'file_links', right: { id: 'link', attachment_id: 'file' }, wrong }, files, ['file']);
  });

  test('finished ones come behind the one before', async () => {
    const files = (db: Query) => listFileIdsAfter(db, 'a', 2);
    await rows.finds({ ...letGo, wrong: { id: 'a', state: ['sealing', 'failed', 'erased'] } }, files, ['file']);
    await rows.finds({ ...letGo, wrong: { state: ['sealing', 'failed', 'erased'] } }, countFinishedFiles, 1);
    rows.put('attachments', file('a'), file('c'), file('d'), file('b'));
    assert.deepEqual(await files(rows.db), ['b', 'c']);
  });

  test('damaged ones come behind the one before', async () => {
    const files = (db: Query) => listDamagedAfter(db, 'a', 2);
    const damaged = (id: string) => ({ ...letGo.right, id, state: 'damaged' as const });
    await rows.finds({ ...letGo, right: damaged('file'), wrong: { id: 'a', state: 'ready' } }, files, ['file']);
    rows.put('attachments', damaged('a'), damaged('c'), damaged('d'), damaged('b'));
    assert.deepEqual(await files(rows.db), ['b', 'c']);
  });
});
