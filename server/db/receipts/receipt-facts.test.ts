import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { listAnswersTo, listEventsAbout, listReceiptDownloads } from './receipt-facts.ts';

describe('A receipt reads', () => {
  const rows = useRows({ isReversed: true });
  const line: Among<'downloads'> = {
    table: 'downloads',
    right: {
      owner_id: 'alice',
      number: 1,
      attachment_id: 'file',
      message_id: 'id',
      link_id: 'id',
      outcome: 'complete',
    },
    wrong: { outcome: 'refunded' },
  };
  const numbers = (kind: 'message' | 'link') => async (db: Query) =>
    (await listReceiptDownloads(db, { kind, id: 'id' }, 4)).map((one) => `${one.ownerId} ${one.number}`);

  test('the downloads of its message or link but those that were given back', async () => {
    rows.put('attachments', { id: 'file' });
    const { wrong } = line;
    await rows.finds({ ...line, wrong: { ...wrong, message_id: ['other', null] } }, numbers('message'), ['alice 1']);
    await rows.finds({ ...line, wrong: { ...wrong, link_id: ['other', null] } }, numbers('link'), ['alice 1']);
  });

  test('the first downloads, then by owner and number', async () => {
    rows.put('attachments', { id: 'file' });
    const made = (owner_id: string, number: number, granted_at: number) => ({
      ...line.right,
      owner_id,
      number,
      granted_at,
    });
    rows.put(
      'downloads',
      made('bob', 9, 2),
      made('bob', 7, 2),
      made('carol', 8, 1),
      made('alice', 8, 3),
      made('alice', 9, 2),
    );
    assert.deepEqual(await numbers('link')(rows.db), ['carol 8', 'alice 9', 'bob 7', 'bob 9']);
  });

  test('events about these things in their order', async () => {
    const event = { seq: 4, object_kind: 'file', object_id: 'file', facts: '{}' };
    const about = async (db: Query) => (await listEventsAbout(db, 'file', ['file', 'next'], 2)).map(({ seq }) => seq);
    await rows.finds({ table: 'events', right: event, wrong: { object_kind: 'user', object_id: 'other' } }, about, [4]);
    rows.put('events', { ...event, seq: 3 }, { ...event, seq: 1, object_id: 'next' }, { ...event, seq: 2 });
    assert.deepEqual(await about(rows.db), [1, 2]);
  });

  test('the first answers to its request', async () => {
    const answers = async (db: Query) => (await listAnswersTo(db, 'request', 2)).map(({ id }) => id);
    const answer = (id: string, created_at: number) => ({ id, request_id: 'request', created_at });
    const wrong = { request_id: ['other', null] };
    await rows.finds({ table: 'messages', right: answer('answer', 1), wrong }, answers, ['answer']);
    rows.put('messages', answer('a', 2), answer('b', 3), answer('c', 1));
    assert.deepEqual(await answers(rows.db), ['c', 'a']);
  });
});
