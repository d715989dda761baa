import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  addVisit,
  cancelMailsTo,
  countSent,
  deleteOldVisits,
  listCarryingMails,
  listProgress,
  listSentPage,
  listTrackedDownloads,
  listVisitors,
  listVisits,
  type SentScope,
} from './message-tracking.ts';

describe('Mails that carry a message', () => {
  const rows = useRows();
  const mail: Among<'outbox'> = {
    table: 'outbox',
    right: { id: 'mail', kind: 'message', recipient: 'bob@example.org', message_id: 'message', state: 'pending' },
    wrong: { kind: 'receipt', message_id: ['another', null] },
  };
  const list = async (db: Query) => (await listCarryingMails(db, ['message'], ['message'])).map(({ id }) => id);

  test('are of a kind that does, the oldest first', async () => {
    await rows.finds(mail, list, ['mail']);
    const made = (id: string, created_at: number) => ({ ...mail.right, id, created_at });
    rows.put('outbox', made('c', 2), made('b', 2), made('a', 3), made('d', 1));
    assert.deepEqual(await list(rows.db), ['d', 'b', 'c', 'a']);
  });

  test('are cancelled for one person while they wait, and no other mail is', async () => {
    const recipient = 'carol@example.org';
    const state: ('sending' | 'sent' | 'failed')[] = ['sending', 'sent', 'failed'];
    const who = { messageId: 'message', address: 'bob@example.org' };
    const becomes = { state: 'cancelled', finished_at: 7 } as const;
    const among = { ...mail, wrong: { ...mail.wrong, recipient, state } };
    await rows.changes(among, (tx) => cancelMailsTo(tx, who, ['message'], 7), becomes);
  });
});

describe('Downloads of a message', () => {
  const rows = useRows();
  const line: Among<'downloads'> = {
    table: 'downloads',
    right: {
      owner_id: 'alice',
      number: 7,
      attachment_id: 'file',
      message_id: 'message',
      kind: 'visitor',
      recipient: 'bob@example.org',
      outcome: 'complete',
    },
    wrong: { message_id: ['another', null], kind: 'owner', outcome: 'refunded' },
  };
  const list = async (limit: number) =>
    (await listTrackedDownloads(rows.db, 'message', limit)).map(({ number }) => number);

  test("are reported for files that it still has, except the owner's", async () => {
    rows.put('removed_message_files', { message_id: 'message', attachment_id: 'removed' });
    const progress = [{ messageId: 'message', recipient: 'bob@example.org', attachmentId: 'file', isWhole: true }];
    const wrong = { ...line.wrong, attachment_id: 'removed' };
    await rows.finds({ ...line, wrong }, (db) => listProgress(db, ['message']), progress);
  });

  test('are listed with the newest first, as many as are asked for', async () => {
    await rows.finds(line, () => list(9), [7]);
    const numbered = (number: number) => ({ ...line.right, number });
    rows.put('downloads', numbered(2), numbered(4), numbered(1), numbered(3));
    assert.deepEqual(await list(3), [4, 3, 2]);
  });
});

describe('Visits to the page of a message', () => {
  const rows = useRows();
  const visit: Among<'message_visits'> = {
    table: 'message_visits',
    right: { message_id: 'message', visitor: 'bob', address: 'bob@example.org', last_at: 9, count: 1 },
    wrong: { message_id: 'another' },
  };
  const old = { before: 10, now: 20, limit: 2 };

  test('are listed with the last first', async () => {
    await rows.finds(visit, async (db) => (await listVisits(db, 'message')).map(({ lastAt }) => lastAt), [9]);
    const made = (visitor: string, last_at: number) => ({ ...visit.right, visitor, last_at });
    rows.put('message_visits', made('a', 1), made('b', 3), made('c', 2));
    const found = await listVisits(rows.db, 'message');
    assert.deepEqual(
      found.map(({ lastAt }) => lastAt),
      [3, 2, 1],
    );
  });

  test('name confirmed addresses', async () => {
    const known = [{ messageId: 'message', address: 'bob@example.org' }];
    const wrong = { ...visit.wrong, address: '' };
    await rows.finds({ ...visit, wrong }, (db) => listVisitors(db, ['message']), known);
  });

  test('are deleted when they are old and the message cannot be opened any more', async () => {
    rows.put('messages', { id: 'message', expires_at: 20 }, { id: 'another', expires_at: 21 });
    const wrong = { ...visit.wrong, last_at: 10 };
    await rows.changes({ ...visit, wrong }, (tx) => deleteOldVisits(tx, old), null);
    await rows.finds({ ...visit, wrong }, (tx) => deleteOldVisits(tx, old), 1);
  });

  test('are forgotten for so many messages at a time, without those that are newer', async () => {
    const ids = ['a', 'b', 'c'];
    rows.put('messages', ...ids.map((id) => ({ id, expires_at: 20 })));
    const made = (message_id: string, visitor: string, last_at: number) => ({ message_id, visitor, last_at });
    rows.put('message_visits', ...ids.flatMap((id) => [made(id, 'old', 9), made(id, 'older', 8), made(id, 'new', 10)]));
    assert.equal(await deleteOldVisits(rows.db, old), 2);
    assert.equal(rows.all('message_visits').length, 5);
    assert.equal(await deleteOldVisits(rows.db, old), 1);
    assert.deepEqual(
      rows.all('message_visits').map(({ visitor }) => visitor),
      ['new', 'new', 'new'],
    );
  });
});

describe('One more visit', () => {
  const rows = useRows();
  const facts = { browser: 'Browser', device: 'Device', network: '192.0.2.0', country: 'CH' };
  const visit = {
    ...facts,
    messageId: 'message',
    visitor: 'bob',
    address: 'bob@example.org',
    isScanner: false,
    at: 100,
  };
  const limits = { mostRows: 2, apartMs: 10 };
  const known = { message_id: 'message', visitor: 'bob', address: 'bob@example.org', last_at: 90, count: 1 };

  test('of the same visitor is counted when it follows long enough after the last', async () => {
    const full = { ...limits, mostRows: 0 };
    const among: Among<'message_visits'> = {
      table: 'message_visits',
      right: known,
      wrong: { message_id: 'another', visitor: 'carol', last_at: 91 },
    };
    await rows.changes(among, (tx) => addVisit(tx, visit, full), { ...facts, last_at: 100, count: 2 });
  });

  test('of a new visitor is stored up to a limit of visitors of the message', async () => {
    const other = { ...known, visitor: 'carol' };
    rows.put('message_visits', other, { ...known, message_id: 'another' }, { ...known, visitor: 'x', address: '' });
    assert.equal(await addVisit(rows.db, visit, limits), true);
    assert.equal(await addVisit(rows.db, { ...visit, visitor: 'dave' }, limits), false);
    assert.equal(rows.all('message_visits').length, 4);
  });
});

describe('Sent messages', () => {
  const rows = useRows();
  const sent: Among<'messages'> = {
    table: 'messages',
    right: { id: 'message', owner_id: 'alice', origin: 'sent', created_at: 10 },
    wrong: { owner_id: 'bob', origin: ['request', 'filedrop'] },
  };
  const all: SentScope = { ownerId: 'alice', person: null, from: null, before: null };

  test('are of their owner, and of a stretch of time where one is asked for', async () => {
    await rows.finds(sent, (db) => countSent(db, all), 1);
    await rows.finds({ ...sent, wrong: { created_at: 9 } }, (db) => countSent(db, { ...all, from: 10 }), 1);
    await rows.finds({ ...sent, wrong: { created_at: 11 } }, (db) => countSent(db, { ...all, before: 11 }), 1);
  });

  test('to a recipient are found by a part of the address, or by one of the addresses', async () => {
    rows.put('messages', sent.right);
    const recipient: Among<'message_recipients'> = {
      table: 'message_recipients',
      right: { message_id: 'message', address: 'bob@example.org' },
      wrong: { message_id: 'another', address: 'carol@example.net' },
    };
    const to = (part: string, ...addresses: string[]) => ({ ...all, person: { part, addresses } });
    await rows.finds(recipient, (db) => countSent(db, to('ob@ex')), 1);
    await rows.finds(recipient, (db) => countSent(db, to('nobody', 'bob@example.org')), 1);
  });

  test('are sorted as they are asked for, then by id, a page at a time', async () => {
    const made = (id: string, created_at: number) => {
      const subject_sealed = rows.db.keys.sealText('text', id, `${id}/subject`);
      return { ...sent.right, id, created_at, expires_at: -created_at, subject_sealed };
    };
    rows.put('messages', made('c', 2), made('b', 2), made('a', 3), made('d', 1));
    const list = async (sort: 'sent' | 'until', isDescending: boolean, offset: number) =>
      (await listSentPage(rows.db, all, { sort, isDescending, offset, limit: 3 })).map(({ subject }) => subject);
    assert.deepEqual(await list('sent', false, 0), ['d', 'b', 'c']);
    assert.deepEqual(await list('sent', true, 1), ['c', 'b', 'd']);
    assert.deepEqual(await list('until', false, 0), ['a', 'b', 'c']);
  });
});
