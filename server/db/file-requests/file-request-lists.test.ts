import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  cancelMailsOfRequest,
  countFileRequests,
  findRequestAnswers,
  listFileRequestsPage,
  listMailsOfRequest,
  type RequestState,
} from './file-request-lists.ts';

const now = 10;
const open: Among<'file_requests'> = {
  table: 'file_requests',
  right: { id: 'request', owner_id: 'alice', state: 'open', expires_at: 11 },
  wrong: { owner_id: 'bob', state: ['used', 'closed'], expires_at: now },
};
const used: Among<'file_requests'> = {
  ...open,
  right: { ...open.right, state: 'used' },
  wrong: { owner_id: 'bob', state: ['open', 'closed'] },
};
const answer: Among<'messages'> = {
  table: 'messages',
  right: { id: 'answer', request_id: 'request', state: 'active', expires_at: 11 },
  wrong: { request_id: ['other', null] },
};
const liveAnswer: Among<'messages'> = {
  ...answer,
  wrong: { ...answer.wrong, state: ['released', 'revoked'], expires_at: now },
};
const count = (state: RequestState | null) => (db: Query) => countFileRequests(db, { ownerId: 'alice', state, now });

describe('Among other requests', () => {
  const rows = useRows();

  test('all are those of the owner', async () => {
    await rows.finds({ ...open, wrong: { owner_id: 'bob' } }, count(null), 1);
  });

  test('one waits while it is open and nothing has come in answer to it', async () => {
    rows.put('messages', { ...answer.right, request_id: 'other' });
    await rows.finds(open, count('waiting'), 1);
    rows.put('file_requests', open.right);
    await rows.finds(answer, count('waiting'), 0);
  });

  test('one is open once something has come, also when that has ended', async () => {
    rows.put('messages', { ...answer.right, state: 'revoked', expires_at: 1 });
    await rows.finds(open, count('open'), 1);
    rows.put('file_requests', open.right);
    await rows.finds(answer, count('open'), 1);
  });

  test('one has expired on its day, unless it was answered or closed', async () => {
    const right = { ...open.right, expires_at: now };
    await rows.finds({ ...open, right, wrong: { ...open.wrong, expires_at: 11 } }, count('expired'), 1);
  });

  test('a closed one is neither open nor used', async () => {
    const right = { ...open.right, state: 'closed' as const };
    await rows.finds({ ...open, right, wrong: { owner_id: 'bob', state: ['open', 'used'] } }, count('closed'), 1);
  });

  test('one is received while its answer can be opened, and used afterwards', async () => {
    rows.put('messages', answer.right);
    await rows.finds(used, count('received'), 1);
    rows.put('messages');
    await rows.finds(used, count('used'), 1);
    rows.put('file_requests', used.right);
    await rows.finds(liveAnswer, count('received'), 1);
    await rows.finds(liveAnswer, count('used'), 0);
  });
});

describe('Pages of requests', () => {
  const rows = useRows();
  const made = (id: string, created_at: number, expires_at: number) => ({
    ...open.right,
    id,
    created_at,
    expires_at,
    subject_sealed: rows.db.keys.sealText('text', '', `${id}/subject`),
    body_sealed: rows.db.keys.sealText('text', '', `${id}/body`),
  });

  test('go by a date and then by id, in one direction', async () => {
    rows.put('file_requests', made('c', 1, 5), made('a', 1, 7), made('b', 1, 6), made('d', 0, 8));
    const page = async (by: 'createdAt' | 'expiresAt', direction: 'asc' | 'desc') => {
      const filter = { ownerId: 'alice', state: null, now };
      const found = await listFileRequestsPage(rows.db, filter, { by, direction }, { offset: 1, limit: 2 });
      return found.map(({ id }) => id).join();
    };
    assert.equal(await page('createdAt', 'asc'), 'a,b');
    assert.equal(await page('createdAt', 'desc'), 'b,a');
    assert.equal(await page('expiresAt', 'asc'), 'b,a');
    assert.equal(await page('expiresAt', 'desc'), 'a,b');
  });
});

describe('What belongs to a request', () => {
  const rows = useRows();

  test('is what came in answer to it', async () => {
    rows.put('message_attachments', { message_id: 'answer', attachment_id: 'file' });
    const found = { deliveries: 1, files: 1, lastAt: 0, hasLive: true };
    const answers = async (db: Query) => [...(await findRequestAnswers(db, ['request', 'another'], now))];
    await rows.finds(answer, answers, [['request', found]]);
    for (const ended of [{ state: 'released' as const }, { expires_at: now }]) {
      rows.put('messages', { ...answer.right, ...ended });
      assert.deepEqual(await answers(rows.db), [['request', { ...found, hasLive: false }]]);
    }
  });

  test('are the mails that asked for files, newest first, then by id, and no more than asked for', async () => {
    const mail = { id: 'a', request_id: 'request', kind: 'file-request', recipient: 'a', created_at: 2 };
    const recipients = async (db: Query) => (await listMailsOfRequest(db, 'request', 3)).map((one) => one.recipient);
    const wrong = { request_id: ['other', null], kind: 'reminder' };
    await rows.finds({ table: 'outbox', right: mail, wrong }, recipients, ['a']);
    const made = (recipient: string, created_at: number) => ({ ...mail, id: recipient, recipient, created_at });
    rows.put('outbox', made('d', 1), made('c', 2), made('a', 2), made('b', 3));
    assert.deepEqual(await recipients(rows.db), ['b', 'a', 'c']);
  });

  test('mails that wait are not sent once it is closed', async () => {
    const mail: Among<'outbox'> = {
      table: 'outbox',
      right: { id: 'mail', request_id: 'request', state: 'pending' },
      wrong: { request_id: ['other', null], state: ['sending', 'sent', 'failed'] },
    };
    const becomes = { state: 'cancelled', finished_at: 7 } as const;
    await rows.changes(mail, (tx) => cancelMailsOfRequest(tx, 'request', 7), becomes);
  });
});
