import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { OutboxTable, Query } from '../schema/schema.ts';
import {
  cancelMailsOfMessage,
  countMailsSince,
  deleteFinishedMails,
  findCopyToSender,
  findMail,
  findStuckMails,
  finishSent,
  finishUnsent,
  leaseMail,
  listDueMails,
  listWaitingMails,
  postponeMail,
  renewMailLease,
  savePayload,
} from './outbox.ts';

const states: OutboxTable['state'][] = ['pending', 'sending', 'sent', 'failed', 'cancelled'];
const statesBut = (...some: OutboxTable['state'][]) => states.filter((state) => !some.includes(state));
const right = { id: 'mail', kind: 'message', message_id: 'message', owner_id: 'alice', recipient: 'b@one' };
const waiting = { ...right, state: 'pending', next_at: 10, lease_ends_at: 10, created_at: 3 } as const;

describe('Among other mails', () => {
  const rows = useRows();

  test('one is found by its id', async () => {
    await rows.finds(
      { table: 'outbox', right, wrong: { id: 'other' } },
      async (db) => (await findMail(db, 'mail'))?.id,
      'mail',
    );
  });

  test('the copy that the sender got is the first of its kind', async () => {
    const copy = { ...right, kind: 'copy-to-sender' };
    const find = async (db: Query) => (await findCopyToSender(db, 'message'))?.id;
    const wrong = { message_id: ['other', null], kind: 'message' };
    await rows.finds({ table: 'outbox', right: copy, wrong }, find, 'mail');
    rows.put('outbox', { ...copy, created_at: 2 }, { ...copy, id: 'first', created_at: 1 });
    assert.equal(await find(rows.db), 'first');
  });

  test('those without a lease whose time has come are due, oldest first, if their kind is known', async () => {
    const due = async (db: Query) => (await listDueMails(db, ['message', 'code'], 10, 2)).map(({ id }) => id);
    const wrong = { state: statesBut('pending', 'sending'), next_at: 11, lease_ends_at: 11, kind: 'new' };
    await rows.finds({ table: 'outbox', right: waiting, wrong }, due, ['mail']);
    const made = (id: string, next_at: number) => ({ ...waiting, id, next_at });
    rows.put('outbox', made('a', 2), made('b', 3), { ...made('c', 1), state: 'sending' });
    assert.deepEqual(await due(rows.db), ['c', 'a']);
  });

  test('those of a message that are not being sent are waiting', async () => {
    const wrong = { message_id: ['other', null], state: statesBut('pending') };
    const find = async (db: Query) => (await listWaitingMails(db, 'message')).map(({ id }) => id);
    await rows.finds({ table: 'outbox', right: waiting, wrong }, find, ['mail']);
  });

  test('those that a user has lately sent to others are counted', async () => {
    const wrong = { owner_id: 'bob', kind: 'code', recipient: 'a@one', created_at: 2 };
    const count = (db: Query) => countMailsSince(db, { id: 'alice', email: 'a@one' }, ['message', 'reminder'], 2);
    await rows.finds({ table: 'outbox', right: waiting, wrong }, count, 1);
  });

  test('those of a message that was withdrawn are not sent, but for some kinds', async () => {
    const wrong = { message_id: ['other', null], kind: 'withdrawn', state: statesBut('pending', 'cancelled') };
    const cancel: Among<'outbox'> = { table: 'outbox', right: waiting, wrong };
    const becomes = { state: 'cancelled', finished_at: 9 } as const;
    await rows.changes(cancel, (tx) => cancelMailsOfMessage(tx, 'message', ['withdrawn'], 9), becomes);
  });

  test('a batched one leaves its group with its payload', async () => {
    const collected = { ...waiting, group_key: 'group' };
    rows.put('outbox', collected, { ...collected, id: 'other', group_key: 'another' });
    await savePayload(rows.db, 'mail', { told: 1 });
    const [kept, other] = rows.all('outbox');
    assert.deepEqual([kept?.group_key, other?.group_key], [null, 'another']);
    assert.deepEqual((await findMail(rows.db, 'mail'))?.openPayload(), { told: 1 });
    assert.equal(other?.payload_sealed.length, 0);
  });
});

describe('A mail', () => {
  const rows = useRows();
  const held: Among<'outbox'> = {
    table: 'outbox',
    right: { ...right, state: 'sending', lease_ends_at: 20 },
    wrong: { id: 'other', state: statesBut('sending'), lease_ends_at: [19, 21] },
  };
  const lease = { id: 'mail', endsAt: 20 };

  test('is leased by one worker if it waits without a lease', async () => {
    const wrong = { id: 'other', state: statesBut('pending', 'sending'), lease_ends_at: 11 };
    const taken = { state: 'sending', lease_ends_at: 30, attempts: 1 } as const;
    await rows.changes({ table: 'outbox', right: waiting, wrong }, (tx) => leaseMail(tx, 'mail', 10, 30), taken);
  });

  test('stays with the holder of the lease', async () => {
    await rows.changes(held, (tx) => renewMailLease(tx, lease, 30), { lease_ends_at: 30 });
  });

  test('is marked as sent by any worker', async () => {
    const wrong = { id: 'other', state: statesBut('pending', 'sending') };
    const sent = { state: 'sent', server_text: 'ok', finished_at: 9, lease_ends_at: 0 } as const;
    await rows.changes({ ...held, wrong }, (tx) => finishSent(tx, 'mail', 'ok', 9), sent);
  });

  test('is cancelled by the holder of the lease', async () => {
    const end = { state: 'failed', reason: 'no', now: 9 } as const;
    const given = { state: 'failed', server_text: 'no', finished_at: 9, lease_ends_at: 0 } as const;
    await rows.changes(held, (tx) => finishUnsent(tx, lease, end), given);
  });

  test('is postponed by the holder of the lease', async () => {
    const later = { state: 'pending', next_at: 40, lease_ends_at: 0, server_text: 'later' } as const;
    await rows.changes(held, (tx) => postponeMail(tx, lease, 40, 'later'), later);
  });
});

describe('Mails that are stuck', () => {
  const rows = useRows();
  const stuck = { ...waiting, attempts: 1, created_at: 5, next_at: 6, server_text: 'no' };
  const find = (db: Query) => findStuckMails(db, { before: 5, now: 9 });

  test('are those that were tried and have waited long, with the oldest', async () => {
    const wrong = { state: statesBut('pending', 'sending'), attempts: 0, created_at: 6 };
    const found = { mailCount: 1, oldestAt: 5, serverText: 'no' };
    await rows.finds({ table: 'outbox', right: stuck, wrong }, find, found);
    rows.put('outbox', stuck, { ...stuck, id: 'old', created_at: 4, server_text: 'old' });
    assert.deepEqual(await find(rows.db), { mailCount: 2, oldestAt: 4, serverText: 'old' });
  });

  test('could have been tried for long and were not', async () => {
    const right = { ...stuck, attempts: 0, next_at: 5 };
    await rows.finds(
      { table: 'outbox', right, wrong: { next_at: 6, created_at: 6 } },
      async (db) => (await find(db))?.mailCount ?? 0,
      1,
    );
  });

  test('are none where a mail was accepted since', async () => {
    const count = async (accepted: Partial<OutboxTable>) => {
      rows.put('outbox', stuck, { ...stuck, id: 'accepted', state: 'sent', finished_at: 6, ...accepted });
      return (await find(rows.db))?.mailCount ?? 0;
    };
    assert.equal(await count({}), 0);
    assert.equal(await count({ finished_at: 5 }), 1);
    assert.equal(await count({ finished_at: 10 }), 1);
    assert.equal(await count({ state: 'failed' }), 1);
  });
});

describe('Mails that are over', () => {
  const rows = useRows();
  const old = { ...right, state: 'sent', created_at: 1, finished_at: 4 } as const;
  const clear = (tx: Parameters<typeof deleteFinishedMails>[0]) =>
    deleteFinishedMails(tx, { before: 5, now: 10, limit: 2 });

  test('go some time after they were finished, so many at a time', async () => {
    rows.put('messages');
    await rows.changes({ table: 'outbox', right: old, wrong: { finished_at: [5, null] } }, clear, null);
    rows.put('outbox', ...['a', 'b', 'c'].map((id) => ({ ...old, id })));
    assert.equal(await clear(rows.db), 2);
    assert.equal(rows.all('outbox').length, 1);
  });

  test('stay while their message can be opened', async () => {
    const message: Among<'messages'> = {
      table: 'messages',
      right: { id: 'message', expires_at: 11 },
      wrong: { id: 'other', expires_at: 10 },
    };
    const work = (tx: Parameters<typeof clear>[0]) => {
      rows.put('outbox', old);
      return clear(tx);
    };
    await rows.finds(message, work, 0);
  });
});
