// Statements about requests for bytes, with boundary cases beside the selected rows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  endCrashedRequest,
  findServingProcess,
  insertRequest,
  listRequestsOf,
  listRunningRequests,
  noteRequest,
  noteTaken,
} from './download-requests.ts';

describe('Requests for bytes', () => {
  const rows = useRows({ isReversed: true });
  const key = { ownerId: 'alice', number: 7, request: 2 };
  const right = { owner_id: 'alice', number: 7, request: 2, outcome: 'running', served_by: 'dead' } as const;
  const among = (wrong: Among<'download_requests'>['wrong']): Among<'download_requests'> => ({
    table: 'download_requests',
    right: { ...right, range_start: 10, range_end: 30, taken_bytes: 4 },
    wrong,
  });
  const others = { owner_id: 'bob', number: 8, request: 3 };

  test('are numbered within their download', async () => {
    rows.put(
      'download_requests',
      right,
      { ...right, number: 8, request: 9 },
      { ...right, owner_id: 'bob', request: 9 },
    );
    const range = { files: 1, startedAt: 1, rangeStart: 0, rangeEnd: 5, servedBy: '', ip: '', agent: '' };
    const row = { ...range, apiKeyId: '', proofKind: '', proofId: '' } as const;
    assert.equal(await insertRequest(rows.db, { ...row, ownerId: 'alice', number: 7 }), 3);
    assert.equal(await insertRequest(rows.db, { ...row, ownerId: 'alice', number: 9 }), 1);
  });

  test('have their own progress, and the sum of their download', async () => {
    const progress = { takenBytes: 6, atMostBytes: 8, outcome: 'partial', now: 5 } as const;
    const ended = { taken_bytes: 6, at_most_bytes: 8, outcome: 'partial', ended_at: 5, progress_at: 5 } as const;
    await rows.changes(among(others), (tx) => noteRequest(tx, key, progress), ended);
    const noted = { taken_bytes: 5, progress_at: 6 };
    await rows.changes(among(others), (tx) => noteTaken(tx, key, 5, 6), noted);
    rows.put(
      'download_requests',
      among({}).right,
      { ...right, request: 1, taken_bytes: 3 },
      { ...right, number: 8, taken_bytes: 9 },
    );
    assert.deepEqual(await noteRequest(rows.db, key, { ...progress, outcome: 'running' }), { totalBytes: 9 });
  });

  test('end once when their process has died', async () => {
    const wrong = { ...others, outcome: ['complete', 'crashed'] as ('complete' | 'crashed')[], served_by: 'living' };
    const crashed = { outcome: 'crashed', ended_at: 9, at_most_bytes: 20 } as const;
    const end = (tx: Parameters<typeof endCrashedRequest>[0]) => endCrashedRequest(tx, { ...key, servedBy: 'dead' }, 9);
    await rows.changes(among(wrong), end, crashed);
    rows.put('download_requests', among({}).right);
    assert.deepEqual(await end(rows.db), { takenBytes: 4, totalBytes: 4 });
    assert.equal(await end(rows.db), null);
  });

  test('are found by their process while they run, and by their download', async () => {
    const wrong = { outcome: 'complete' as const, served_by: 'living' };
    const ofProcess = async (db: Query) => (await listRunningRequests(db, 'dead', 9)).map(({ number }) => number);
    await rows.finds(among(wrong), ofProcess, [7]);
    const serving = (db: Query) => findServingProcess(db, { ownerId: 'alice', number: 7 });
    await rows.finds(among({ owner_id: 'bob', number: 8, outcome: 'complete' }), serving, 'dead');
    rows.put(
      'download_requests',
      { ...right, request: 3 },
      right,
      { ...right, number: 8 },
      { ...right, owner_id: 'bob' },
    );
    const requests = await listRequestsOf(rows.db, { ownerId: 'alice', number: 7 });
    assert.deepEqual(
      requests.map(({ request }) => request),
      [2, 3],
    );
  });
});
