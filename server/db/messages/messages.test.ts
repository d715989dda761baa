import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { MessagesTable, Query } from '../schema/schema.ts';
import {
  countSubmissions,
  findMessage,
  findSubject,
  findSubjects,
  findWholeMessage,
  listAnswers,
  listEndingMessages,
  listExpiredMessages,
  listInbox,
  listMessageIdsOf,
  listSent,
  lockMessage,
  type MessagePage,
  updateMessage,
} from './messages.ts';

const message: Partial<MessagesTable> = { id: 'message', owner_id: 'alice', origin: 'sent', state: 'active' };
const among = (right: Partial<MessagesTable>, wrong: Among<'messages'>['wrong']): Among<'messages'> => ({
  table: 'messages',
  right: { ...message, ...right },
  wrong,
});
const ids = (found: { id: string }[]) => found.map(({ id }) => id);
const textsOf = ({ keys }: Query, id: string) => ({
  subject_sealed: keys.sealText('text', `Subject of ${id}`, `${id}/subject`),
  body_sealed: keys.sealText('text', '', `${id}/body`),
});

describe('A message', () => {
  const rows = useRows();

  test('is found and changed by its id', async () => {
    const one = among(textsOf(rows.db, 'message'), { id: 'another' });
    const subject = 'Subject of message';
    await rows.finds(one, async (db) => (await findMessage(db, 'message'))?.id, 'message');
    await rows.finds(one, async (db) => (await findWholeMessage(db, 'message'))?.subject, subject);
    await rows.finds(one, (db) => findSubject(db, 'message'), subject);
    await rows.finds(one, async (tx) => (await lockMessage(tx, 'message'))?.id, 'message');
    const changes = { expiresOn: '2026-11-19', expiresAt: 1, downloadLimit: 2, sizeBytes: 3, expiryToldAt: 4 };
    const becomes = {
      expires_on: '2026-11-19',
      expires_at: 1,
      download_limit: 2,
      size_bytes: 3,
      expiry_told_at: 4,
      state: 'released',
      updated_at: 5,
    } as const;
    const change = { ...changes, state: 'released', updatedAt: 5 } as const;
    await rows.changes(one, (tx) => updateMessage(tx, 'message', change), becomes);
  });

  test('is not asked for its subject beside those that are', async () => {
    const made = (id: string) => ({ ...message, id, ...textsOf(rows.db, id) });
    rows.put('messages', made('a'), { ...message, id: 'b' }, made('c'));
    const subjects = new Map(['a', 'c'].map((id) => [id, `Subject of ${id}`]));
    assert.deepEqual(await findSubjects(rows.db, ['a', 'c']), subjects);
  });
});

describe('A list of messages', () => {
  const rows = useRows();
  const page: MessagePage = { after: null, before: null, limit: 3 };
  const reader = { userId: 'bob', addresses: ['bob@example.org'], ownAddress: 'bob@example.org', liveAt: 10 };

  test('has what a user sent, newest first, in pages', async () => {
    const list = async (wanted: Partial<MessagePage>) => ids(await listSent(rows.db, 'alice', { ...page, ...wanted }));
    const one = among(textsOf(rows.db, 'message'), { owner_id: 'bob', origin: ['request', 'filedrop'] });
    await rows.finds(one, () => list({}), ['message']);
    const made = (id: string, created_at: number) => ({ ...message, ...textsOf(rows.db, id), id, created_at });
    rows.put('messages', made('b', 2), made('c', 2), made('a', 3), made('d', 1));
    assert.deepEqual(await list({}), ['a', 'c', 'b']);
    assert.deepEqual(await list({ before: { createdAt: 2, id: 'c' } }), ['b', 'd']);
    assert.deepEqual(await list({ after: 2, limit: 9 }), ['a', 'c', 'b']);
  });

  test('has received messages that can be opened', async () => {
    const list = async (db: Query) => ids(await listInbox(db, reader, page));
    rows.put('message_recipients', { message_id: 'message', address: 'bob@example.org', state: 'active' });
    const wrong: Among<'messages'>['wrong'] = { state: ['released', 'revoked'], expires_at: 10 };
    const live = { ...textsOf(rows.db, 'message'), expires_at: 11 };
    await rows.finds(among(live, { ...wrong, id: 'another' }), list, ['message']);
    rows.put('message_recipients');
    const handedIn = among({ ...live, owner_id: 'bob', origin: 'filedrop' }, { owner_id: 'alice', origin: 'sent' });
    await rows.finds(handedIn, list, ['message']);
  });

  test('has the answers to a File Request', async () => {
    const answer = among({ ...textsOf(rows.db, 'message'), request_id: 'request' }, { request_id: ['other', null] });
    await rows.finds(answer, async (db) => ids(await listAnswers(db, 'request', 9)), ['message']);
  });

  test('has what a user has not withdrawn', async () => {
    const kept = among({}, { owner_id: 'bob', state: 'revoked' });
    await rows.finds(kept, (db) => listMessageIdsOf(db, 'alice'), ['message']);
  });
});

describe('The end of messages', () => {
  const rows = useRows();
  const at = (expires_at: number) => ({ ...message, id: `${expires_at}`, expires_at });

  test('has come for those that are active, the longest over first', async () => {
    const expired = among({ expires_at: 10 }, { state: ['released', 'revoked'], expires_at: 11 });
    const found = [{ id: 'message', ownerId: 'alice' }];
    await rows.finds(expired, (db) => listExpiredMessages(db, 10, 2), found);
    rows.put('messages', at(2), at(1), at(3));
    assert.deepEqual(ids(await listExpiredMessages(rows.db, 10, 2)), ['1', '2']);
  });

  test('is announced to senders, the earliest first', async () => {
    const list = (db: Query) => listEndingMessages(db, { now: 100, until: 110 }, 2);
    const ending = among(
      { created_at: 90, expires_at: 110 },
      {
        state: ['released', 'revoked'],
        origin: ['request', 'filedrop'],
        expiry_told_at: 99,
        expires_at: [100, 111],
        created_at: 91,
      },
    );
    await rows.finds(ending, list, ['message']);
    const until = { ...ending, right: { ...ending.right, created_at: 0 }, wrong: { expires_at: 111 } };
    await rows.finds(until, list, ['message']);
    rows.put('messages', at(102), at(101), at(103));
    assert.deepEqual(await list(rows.db), ['101', '102']);
  });
});

describe('What was handed in', () => {
  const rows = useRows();

  test('is counted for one person and way since then, without the pages of functions', async () => {
    const wanted = { ownerId: 'alice', origin: 'filedrop', requestId: null, since: 5, now: 7 } as const;
    const wrong: Among<'messages'>['wrong'] = {
      owner_id: 'bob',
      origin: ['sent', 'request'],
      system_drop_id: 'drop',
      created_at: [5, 8],
    };
    await rows.finds(among({ origin: 'filedrop', created_at: 6 }, wrong), (db) => countSubmissions(db, wanted), 1);
    const answer = among({ origin: 'request', request_id: 'one', created_at: 6 }, { request_id: ['two', null] });
    await rows.finds(answer, (db) => countSubmissions(db, { ...wanted, origin: 'request', requestId: 'one' }), 1);
  });
});
