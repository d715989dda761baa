import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { retiredBytes } from '../downloads/tickets.ts';
import type { Query } from '../schema/schema.ts';
import {
  findDownloadTarget,
  findMailQueue,
  findOpenUpload,
  listQuarterFigures,
  listRunning,
  retireDownload,
  sumReadable,
} from './overview.ts';

const hour = 3_600_000;

describe('Figures for administrators', () => {
  const rows = useRows();
  const none = { quarter: 4, messages: 0, downloads: 0, bytes: 0 };
  const figures = (db: Query) => listQuarterFigures(db, hour + 5);

  test('have messages that were sent, downloads by others than the owner, and bytes, all since then', async () => {
    const sent: Among<'messages'> = {
      table: 'messages',
      right: { id: 'message', origin: 'sent', created_at: hour + 5 },
      wrong: { origin: ['request', 'filedrop'], created_at: hour + 4 },
    };
    await rows.finds(sent, figures, [{ ...none, messages: 1 }]);
    rows.put('messages');
    const fetched: Among<'downloads'> = {
      table: 'downloads',
      right: { kind: 'visitor', granted_at: hour + 5 },
      wrong: { kind: 'owner', granted_at: hour + 4 },
    };
    await rows.finds(fetched, figures, [{ ...none, downloads: 1 }]);
    rows.put('downloads');
    const file: Among<'attachments'> = {
      table: 'attachments',
      right: { id: 'file', size_bytes: 9, created_at: hour + 5 },
      wrong: { created_at: hour + 4 },
    };
    await rows.finds(file, figures, [{ ...none, bytes: 9 }]);
  });

  test('count as readable the shared files that are ready and were created in the span', async () => {
    const file: Among<'attachments'> = {
      table: 'attachments',
      right: { id: 'file', size_bytes: 9, state: 'ready', reference_count: 1, created_at: 5 },
      wrong: { state: ['sealing', 'damaged', 'failed', 'erased'], reference_count: 0, created_at: [4, 7] },
    };
    await rows.finds(file, (db) => sumReadable(db, 5, 7), { files: 1, bytes: 9 });
  });

  test('have mails that wait', async () => {
    const mail: Among<'outbox'> = {
      table: 'outbox',
      right: { id: 'mail', state: 'pending', created_at: 5 },
      wrong: { state: ['sent', 'failed', 'cancelled'] },
    };
    await rows.finds(mail, findMailQueue, { waiting: 1, oldestAt: 5 });
  });
});

describe('What runs', () => {
  const rows = useRows();
  const since = 24 * hour;
  const upload: Among<'uploads'> = {
    table: 'uploads',
    right: { id: 'upload', owner_id: 'alice', source: 'drop:key', state: 'open', received_bytes: 9, active_at: since },
    wrong: { id: 'other', state: ['sealing', 'ready', 'failed', 'abandoned'], active_at: since - 1 },
  };
  const download: Among<'downloads'> = {
    table: 'downloads',
    right: {
      owner_id: 'alice',
      number: 7,
      attachment_id: 'file',
      message_id: 'message',
      outcome: 'granted',
      granted_at: hour,
    },
    wrong: {
      owner_id: 'bob',
      number: 8,
      outcome: ['complete', 'partial', 'cut', 'refunded'],
      finished_at: hour,
    },
  };
  const list = async (limit: number) =>
    (await listRunning(rows.db, since, limit)).map(({ uploadId, download: line }) => uploadId ?? line?.number);

  const request: Among<'download_requests'> = {
    table: 'download_requests',
    right: {
      owner_id: 'alice',
      number: 7,
      request: 1,
      outcome: 'running',
      started_at: hour,
      progress_at: since,
      taken_bytes: 3,
      range_start: 0,
      range_end: 9,
    },
    wrong: { owner_id: 'bob', number: 8, outcome: ['complete', 'partial', 'cut', 'crashed'], progress_at: since - 1 },
  };

  test('is listed while it is open and bytes moved of late', async () => {
    rows.put('downloads');
    const { state, active_at } = upload.wrong;
    await rows.finds({ ...upload, wrong: { state, active_at } }, () => list(9), ['upload']);
    rows.put('uploads');
    rows.put('download_requests', request.right);
    const { outcome, finished_at } = download.wrong;
    await rows.finds({ ...download, wrong: { outcome, finished_at } }, () => list(9), [7]);
    rows.put('downloads', download.right);
    await rows.finds(request, () => list(9), [7]);
    rows.put('download_requests', { ...request.right, started_at: since, progress_at: null });
    assert.deepEqual(await list(9), [7], 'just begun');
  });

  test('is listed with the last first, and uploads before downloads', async () => {
    const uploadAt = (active_at: number) => ({ ...upload.right, id: `upload ${active_at - since}`, active_at });
    rows.put('uploads', uploadAt(since + 1), uploadAt(since + 3), uploadAt(since + 2));
    const downloadAt = (number: number) => ({ ...download.right, number, granted_at: hour + number });
    rows.put('downloads', downloadAt(1), downloadAt(3), downloadAt(2));
    rows.put('download_requests', ...[1, 2, 3].map((number) => ({ ...request.right, number })));
    assert.deepEqual(await list(2), ['upload 3', 'upload 2']);
    assert.deepEqual(await list(9), ['upload 3', 'upload 2', 'upload 1', 3, 2, 1]);
    rows.put('uploads');
    assert.deepEqual(await list(2), [3, 2]);
  });

  test('shows how much has moved, over all requests of a download, and how much will', async () => {
    rows.put('uploads', { ...upload.right, chunks: 4, part_count: 2, received_bytes: 10 });
    rows.put('downloads', download.right);
    rows.put('download_requests', request.right, { ...request.right, request: 2, taken_bytes: 1, range_start: 5 });
    const amounts = (await listRunning(rows.db, since, 9)).map(({ bytes, totalBytes }) => [bytes, totalBytes]);
    assert.deepEqual(amounts, [
      [10, 20],
      [4, 13],
    ]);
  });

  test('is found by the administrator who wants to end it', async () => {
    const { granted_at: _, ...wrong } = download.wrong;
    const target = { kind: 'message', id: 'message', recipient: '' };
    await rows.finds({ ...download, wrong }, (db) => findDownloadTarget(db, 'alice', 7), target);
    const { id, state } = upload.wrong;
    const found = { id: 'upload', ownerId: 'alice', source: 'drop:key', bytes: 9 };
    await rows.finds({ ...upload, wrong: { id, state } }, (db) => findOpenUpload(db, 'upload'), found);
  });

  test('is cut where it is this download of this owner', async () => {
    const ticket: Among<'tickets'> = {
      table: 'tickets',
      right: { id_hash: Buffer.from('ticket'), owner_id: 'alice', download_number: 7 },
      wrong: { owner_id: 'bob', download_number: [8, null] },
    };
    await rows.changes(ticket, (tx) => retireDownload(tx, 'alice', 7), { served_bytes: retiredBytes });
    await rows.finds(ticket, (tx) => retireDownload(tx, 'alice', 7), true);
  });
});
