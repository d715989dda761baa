import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  deletePart,
  findPart,
  findWaiting,
  forgetErasures,
  listDueErasures,
  listParts,
  listSomeBlobKeys,
  releaseParts,
  sumPartBytes,
} from './parts.ts';

const part: Among<'parts'> = {
  table: 'parts',
  right: { upload_id: 'upload', number: 2, blob_key: 'blob', size_bytes: 3 },
  wrong: { upload_id: 'other', number: 1 },
};
const made = (number: number, upload_id = 'upload') => ({
  ...part.right,
  upload_id,
  number,
  blob_key: `${upload_id} ${number}`,
});

describe('Among other chunks', () => {
  const rows = useRows({ isReversed: true });

  test('one is found by its upload and its number', async () => {
    await rows.finds(part, async (db) => (await findPart(db, 'upload', 2))?.blobKey, 'blob');
  });

  test('those of an upload come in the order of the file', async () => {
    rows.put('parts', made(2), made(1), made(3), made(1, 'other'));
    assert.deepEqual(
      (await listParts(rows.db, 'upload')).map(({ blobKey }) => blobKey),
      ['upload 1', 'upload 2', 'upload 3'],
    );
  });

  test('one goes by its upload and its number', async () => {
    await rows.changes(part, (tx) => deletePart(tx, 'upload', 2), null);
  });

  test('those of an upload are summed, and go together', async () => {
    const ofUpload = { ...part, wrong: { upload_id: 'other' } };
    await rows.finds(ofUpload, (db) => sumPartBytes(db, 'upload'), 3);
    await rows.finds(ofUpload, (tx) => releaseParts(tx, 'upload', 9), 3);
    rows.put('blob_erasures');
    await rows.changes(ofUpload, (tx) => releaseParts(tx, 'upload', 9), null);
    assert.deepEqual(rows.all('blob_erasures'), [{ blob_key: 'blob', erase_after: 9 }]);
  });
});

describe('Files that were handed in and not delivered', () => {
  const rows = useRows();
  const found = (db: Query) => findWaiting(db, 'alice', 'request:id');

  test('are those of finished files', async () => {
    rows.put('uploads');
    const right = { id: 'file', owner_id: 'alice', source: 'request:id', state: 'ready', size_bytes: 3 } as const;
    const wrong: Among<'attachments'>['wrong'] = { owner_id: 'bob', source: ['', 'request:other'], state: 'erased' };
    await rows.finds({ table: 'attachments', right, wrong }, found, { files: 1, chunks: 0, bytes: 3 });
    rows.put('attachments', { ...right, source: '' });
    assert.deepEqual(await findWaiting(rows.db, 'alice', ''), { files: 0, chunks: 0, bytes: 0 });
  });

  test('are the chunks of open uploads', async () => {
    rows.put('attachments');
    rows.put('parts', part.right);
    const upload: Among<'uploads'> = {
      table: 'uploads',
      right: { id: 'upload', owner_id: 'alice', source: 'request:id', state: 'open' },
      wrong: {
        owner_id: 'bob',
        source: ['', 'request:other'],
        state: ['sealing', 'ready', 'failed', 'abandoned'],
      },
    };
    await rows.finds(upload, found, { files: 1, chunks: 1, bytes: 3 });
    rows.put('parts');
    await rows.finds(upload, found, { files: 1, chunks: 0, bytes: 0 });
  });
});

describe('Stored bytes', () => {
  const rows = useRows();

  test('are due from their instant on, so many at a time', async () => {
    const due = (db: Query) => listDueErasures(db, 5, 2);
    const right = { blob_key: 'blob', erase_after: 5 };
    await rows.finds({ table: 'blob_erasures', right, wrong: { erase_after: 6 } }, due, ['blob']);
    rows.put('blob_erasures', ...['a', 'b', 'c'].map((blob_key) => ({ blob_key, erase_after: 1 })));
    assert.equal((await due(rows.db)).length, 2);
  });

  test('are forgotten by their keys', async () => {
    const right = { blob_key: 'blob' };
    const forget: Among<'blob_erasures'> = { table: 'blob_erasures', right, wrong: { blob_key: 'other' } };
    await rows.changes(forget, (tx) => forgetErasures(tx, ['blob', 'another']), null);
  });

  test('are the newest and the oldest of finished files', async () => {
    rows.put('parts', part.right);
    const file: Among<'attachments'> = {
      table: 'attachments',
      right: { id: 'upload', state: 'damaged' },
      wrong: { id: 'other', state: ['sealing', 'failed', 'erased'] },
    };
    await rows.finds(file, (db) => listSomeBlobKeys(db, 2), ['blob']);
    const ids = ['b', 'd', 'a', 'c'];
    rows.put('parts', ...ids.map((id) => made(1, id)));
    rows.put('attachments', ...ids.map((id) => ({ id, state: 'ready' as const, created_at: id.charCodeAt(0) })));
    assert.deepEqual(await listSomeBlobKeys(rows.db, 2), ['d 1', 'a 1']);
  });
});
