import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { MessagesTable } from '../schema/schema.ts';
import { countReceived, listReceivedPage, type ReceivedFilter } from './received.ts';

const all: ReceivedFilter = {
  userId: 'bob',
  addresses: ['bob@example.org'],
  ownAddress: 'bob@example.org',
  state: null,
  origin: null,
  sender: null,
  now: 100,
};
const download: Among<'downloads'> = {
  table: 'downloads',
  right: { message_id: 'message', recipient: 'bob@example.org', outcome: 'complete' },
  wrong: {
    message_id: ['another', null],
    recipient: ['', 'carol@example.org'],
    outcome: ['granted', 'partial', 'cut', 'refunded'],
  },
};
const sent: Partial<MessagesTable> = {
  id: 'message',
  owner_id: 'alice',
  origin: 'sent',
  sender: 'alice@example.org',
  state: 'active',
  expires_at: 101,
};
const among = (right: Partial<MessagesTable>, wrong: Among<'messages'>['wrong']): Among<'messages'> => ({
  table: 'messages',
  right: { ...sent, ...right },
  wrong,
});

describe('Received messages', () => {
  const rows = useRows();
  const counted = (filter: Partial<ReceivedFilter>) => () => countReceived(rows.db, { ...all, ...filter });
  before(() => rows.put('message_recipients', { message_id: 'message', address: 'bob@example.org', state: 'active' }));

  test('was sent to them or handed in, and not withdrawn', async () => {
    await rows.finds(among({}, { id: 'another', state: 'revoked' }), counted({}), 1);
    const handedIn = among({ id: 'drop', owner_id: 'bob', origin: 'filedrop' }, { owner_id: 'alice', origin: 'sent' });
    await rows.finds(handedIn, counted({}), 1);
  });

  test('is found by where it came from and by who sent it', async () => {
    await rows.finds(among({}, { origin: ['request', 'filedrop'] }), counted({ origin: 'sent' }), 1);
    await rows.finds(among({}, { sender: '' }), counted({ sender: 'alice@example.org' }), 1);
  });

  test('has expired when its files were released, or its time has come', async () => {
    await rows.finds(among({ state: 'released' }, { state: ['active', 'revoked'] }), counted({ state: 'expired' }), 1);
    await rows.finds(among({ expires_at: 100 }, { expires_at: 101 }), counted({ state: 'expired' }), 1);
  });

  test('is new while it lives and they have not downloaded it whole', async () => {
    rows.put('downloads', { ...download.right, message_id: 'another' });
    const live = among({}, { state: ['released', 'revoked'], expires_at: 100 });
    await rows.finds(live, counted({ state: 'new' }), 1);
    rows.put('messages', sent);
    await rows.finds(download, counted({ state: 'new' }), 0);
  });

  test('is downloaded while it lives and they have got it whole', async () => {
    rows.put('downloads', download.right);
    const live = among({}, { state: ['released', 'revoked'], expires_at: 100 });
    await rows.finds(live, counted({ state: 'downloaded' }), 1);
    rows.put('messages', sent);
    await rows.finds(download, counted({ state: 'downloaded' }), 1);
  });
});

describe('The page of received messages', () => {
  const rows = useRows();
  const address = 'bob@example.org';

  test('has the number of files of each message, and whether they were downloaded', async () => {
    rows.put('message_recipients', { message_id: 'message', address, state: 'active' });
    rows.put('messages', { ...sent, subject_sealed: rows.db.keys.sealText('text', 'Plan', 'message/subject') });
    const list = async () => {
      const page = await listReceivedPage(
        rows.db,
        all,
        { by: 'receivedAt', direction: 'asc' },
        { offset: 0, limit: 9 },
      );
      return page.map(({ subject, fileCount, isDownloaded }) => [subject, fileCount, isDownloaded]);
    };
    const attached: Among<'message_attachments'> = {
      table: 'message_attachments',
      right: { message_id: 'message', attachment_id: 'file' },
      wrong: { message_id: 'another' },
    };
    await rows.finds(attached, list, [['Plan', 1, false]]);
    await rows.finds(download, list, [['Plan', 1, true]]);
  });

  test('is sorted as it is asked for, then by id, a page at a time', async () => {
    const made = (id: string, created_at: number) => {
      const subject_sealed = rows.db.keys.sealText('text', id, `${id}/subject`);
      return { ...sent, id, created_at, expires_at: -created_at, subject_sealed };
    };
    const messages = [made('c', 2), made('b', 2), made('a', 3), made('d', 1)];
    rows.put('messages', ...messages);
    rows.put(
      'message_recipients',
      ...messages.map(({ id }) => ({ message_id: id, address, state: 'active' }) as const),
    );
    const list = async (by: 'receivedAt' | 'expiresAt', direction: 'asc' | 'desc', offset: number) =>
      (await listReceivedPage(rows.db, all, { by, direction }, { offset, limit: 3 })).map(({ subject }) => subject);
    assert.deepEqual(await list('receivedAt', 'asc', 0), ['d', 'b', 'c']);
    assert.deepEqual(await list('receivedAt', 'desc', 1), ['c', 'b', 'd']);
    assert.deepEqual(await list('expiresAt', 'asc', 0), ['a', 'b', 'c']);
  });
});
