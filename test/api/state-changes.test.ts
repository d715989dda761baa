import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  consumeOneTimeLink,
  deleteOldOneTimeLinks,
  deleteOneTimeLinksOf,
  findOneTimeLink,
  replaceOneTimeLink,
} from '#server/db/file-links/one-time-links.ts';
import {
  cancelMailsOfMessage,
  countMailsSince,
  findCopyToSender,
  findStuckMails,
  finishSent,
  finishUnsent,
  insertMail,
  leaseMail,
  listDueMails,
  listWaitingMails,
  postponeMail,
  renewMailLease,
} from '#server/db/mail/outbox.ts';
import type { Db, Tables, Tx } from '#server/db/schema/schema.ts';
import {
  burnCode,
  consumeCode,
  consumeCodeLink,
  deleteOldCodes,
  findCode,
  insertCode,
  insertProof,
  listCodeTimes,
  listProvenAddresses,
  spendAttempt,
} from '#server/db/sessions/codes.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { useApp } from '#test/kit/use-app.ts';

const dayMs = 86_400_000;
type Mail = Tables['outbox'];

onOneEngine('State changes', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let db: Db;
  before(() => {
    ({ db } = app.app.ctx);
  });

  /** Replaces all mails. */
  async function mails(rows: Record<string, Partial<Mail>>): Promise<void> {
    const draft = { kind: 'message', recipient: 'ben@harbour.example', ownerId: 'ann', messageId: 'm', payload: {} };
    const none = { linkId: null, requestId: null, groupKey: null, expiresAt: null, createdAt: 0, dueAt: 0 };
    await db.write(async (tx) => {
      await tx.deleteFrom('outbox').execute();
      for (const [id, columns] of Object.entries(rows)) {
        await insertMail(tx, { id, ...draft, ...none });
        await tx
          .updateTable('outbox')
          .set({ attempts: 0, ...columns })
          .where('id', '=', id)
          .execute();
      }
    });
  }
  const everyMail = async () => {
    const rows = await db.read.selectFrom('outbox').selectAll().orderBy('id').execute();
    return new Map(rows.map((row) => [row.id, row]));
  };
  const everyState: Record<string, Partial<Mail>> = {
    pending: { state: 'pending' },
    held: { state: 'sending', lease_ends_at: 101 },
    over: { state: 'sending', lease_ends_at: 100 },
    sent: { state: 'sent' },
    failed: { state: 'failed' },
    cancelled: { state: 'cancelled' },
  };

  /** The mails that a statement changes, after the change; fails if it changes others. */
  async function changedBy(change: (tx: Tx, id: string) => Promise<boolean>): Promise<Record<string, Mail>> {
    await mails(everyState);
    const changed: Record<string, Mail> = {};
    for (const id of Object.keys(everyState)) {
      const before = await everyMail();
      const isChanged = await db.write((tx) => change(tx, id));
      const after = await everyMail();
      for (const [other, row] of before)
        if (other !== id || !isChanged) assert.deepEqual(after.get(other), row, `${id} touched ${other}`);
      if (isChanged) changed[id] = after.get(id)!;
    }
    return changed;
  }
  const factsOf = ({ state, lease_ends_at, attempts, server_text, finished_at, next_at }: Mail) => [
    state,
    lease_ends_at,
    attempts,
    server_text,
    finished_at,
    next_at,
  ];

  test('a mail is leased while it waits or its lease is over', async () => {
    const leased = await changedBy((tx, id) => leaseMail(tx, id, 100, 500));
    assert.deepEqual(Object.keys(leased), ['pending', 'over']);
    for (const row of Object.values(leased)) assert.deepEqual(factsOf(row), ['sending', 500, 1, '', null, 0]);
  });

  test('a mail is sent once, whichever process has its lease', async () => {
    const sent = await changedBy((tx, id) => finishSent(tx, id, 'taken', 100));
    assert.deepEqual(Object.keys(sent), ['pending', 'held', 'over']);
    for (const row of Object.values(sent)) assert.deepEqual(factsOf(row), ['sent', 0, 0, 'taken', 100, 0]);
  });

  test('a mail fails or is deferred only by the worker with its lease', async () => {
    const failed = await changedBy((tx, id) =>
      finishUnsent(tx, { id, endsAt: 101 }, { state: 'failed', reason: 'no', now: 100 }),
    );
    assert.deepEqual(Object.keys(failed), ['held']);
    assert.deepEqual(factsOf(failed.held!), ['failed', 0, 0, 'no', 100, 0]);
    const waiting = await changedBy((tx, id) => postponeMail(tx, { id, endsAt: 101 }, 900, 'later'));
    assert.deepEqual(Object.keys(waiting), ['held']);
    assert.deepEqual(factsOf(waiting.held!), ['pending', 0, 0, 'later', null, 900]);
  });

  test('the lease of a mail is renewed only by its worker', async () => {
    const renewed = await changedBy((tx, id) => renewMailLease(tx, { id, endsAt: 101 }, 700));
    assert.deepEqual(Object.keys(renewed), ['held']);
    assert.deepEqual(factsOf(renewed.held!), ['sending', 700, 0, '', null, 0]);
  });

  test('mails are due in order, when their time has come and no worker has them', async () => {
    await mails({
      ...everyState,
      early: { next_at: 101 },
      now: { next_at: 100 },
      first: { next_at: -1 },
      unknown: { kind: 'of-a-newer-version', next_at: -2 },
    });
    const due = async (limit: number) => (await listDueMails(db.read, ['message'], 100, limit)).map(({ id }) => id);
    assert.deepEqual([(await due(9)).at(0), (await due(9)).at(-1)], ['first', 'now']);
    assert.deepEqual((await due(9)).toSorted(), ['first', 'now', 'over', 'pending']);
    assert.deepEqual(await due(1), ['first']);
  });

  test('withdrawing a message cancels its waiting mails, except later notices', async () => {
    await mails({ ...everyState, other: { message_id: 'n' }, kept: { kind: 'receipt' } });
    assert.deepEqual((await listWaitingMails(db.read, 'm')).map(({ id }) => id).toSorted(), ['kept', 'pending']);
    const untouched = await everyMail();
    await db.write((tx) => cancelMailsOfMessage(tx, 'm', ['receipt'], 100));
    const after = await everyMail();
    assert.deepEqual(factsOf(after.get('pending')!), ['cancelled', 0, 0, '', 100, 0]);
    for (const [id, row] of untouched) if (id !== 'pending') assert.deepEqual(after.get(id), row, id);
  });

  test('the copy of a sender is the first of its kind', async () => {
    const copy = { kind: 'copy-to-sender' };
    await mails({
      second: { ...copy, created_at: 2 },
      first: { ...copy, created_at: 1 },
      elsewhere: { ...copy, message_id: 'n', created_at: 0 },
      mail: { created_at: 0 },
    });
    assert.equal((await findCopyToSender(db.read, 'm'))?.id, 'first');
    assert.equal(await findCopyToSender(db.read, 'x'), undefined);
  });

  test('recent mails of a person to others are counted', async () => {
    await mails({
      counted: { created_at: 101 },
      old: { created_at: 100 },
      kind: { created_at: 101, kind: 'receipt' },
      owner: { created_at: 101, owner_id: 'bob' },
      own: { created_at: 101, recipient: 'ann@example.com' },
    });
    const ann = { id: 'ann', email: 'ann@example.com' };
    assert.equal(await countMailsSince(db.read, ann, ['message'], 100), 1);
    assert.equal(await countMailsSince(db.read, ann, ['message', 'receipt'], 99), 3);
  });

  test('mails are stuck when they were tried, are old, and none was accepted since', async () => {
    const tried = { attempts: 1, server_text: 'busy' };
    const rows: Record<string, Partial<Mail>> = {
      stuck: { ...tried, created_at: 90 },
      oldest: { ...tried, created_at: 80, server_text: 'closed', state: 'sending' },
      fresh: { ...tried, created_at: 101 },
      untried: { created_at: 70, next_at: 101 },
      refused: { ...tried, created_at: 60, state: 'failed' },
      accepted: { state: 'sent', finished_at: 100 },
    };
    await mails(rows);
    assert.deepEqual(await findStuckMails(db.read, { before: 100, now: 200 }), {
      mailCount: 2,
      oldestAt: 80,
      serverText: 'closed',
    });
    assert.equal(await findStuckMails(db.read, { before: 79, now: 99 }), null);
    await mails({ ...rows, accepted: { state: 'sent', finished_at: 101 } });
    assert.equal(await findStuckMails(db.read, { before: 100, now: 200 }), null);
  });

  /** Codes for one address and target, unless overridden. */
  const code = (id: string, more: Partial<Parameters<typeof insertCode>[1]> = {}) => ({
    id,
    address: 'ben@harbour.example',
    target: 'message:m',
    nonceHash: Buffer.from('browser'),
    codeHash: Buffer.from(id),
    network: '192.0.2.1',
    createdAt: 100,
    expiresAt: 200,
    linkHash: Buffer.from(`link ${id}`),
    dropKeyId: null,
    isUnknown: false,
    ...more,
  });
  const stateOf = async (id: string) => {
    const row = await db.read.selectFrom('codes').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return [row.state, row.link_state, row.tries];
  };

  test('a code is used, counted and invalidated separately, and its button once before it expires', async () => {
    await db.write(async (tx) => {
      for (const id of ['c1', 'c2', 'c3']) await insertCode(tx, code(id));
    });
    const spend = (id: string) => db.write((tx) => spendAttempt(tx, id, { most: 2, now: 199 }));
    assert.deepEqual([await spend('c1'), await spend('c1'), await spend('c1')], [1, 2, null]);
    const press = (id: string, now: number) => db.write((tx) => consumeCodeLink(tx, id, now));
    assert.deepEqual([await press('c1', 200), await press('c1', 199), await press('c1', 199)], [false, true, false]);
    const use = (id: string) => db.write((tx) => consumeCode(tx, id));
    assert.deepEqual([await use('c1'), await use('c1'), await spend('c1')], [true, false, null]);
    await db.write((tx) => burnCode(tx, 'c1'));
    await db.write((tx) => burnCode(tx, 'c2'));
    assert.deepEqual([await use('c2'), await spend('c2')], [false, null]);
    assert.deepEqual(await Promise.all(['c1', 'c2', 'c3'].map(stateOf)), [
      ['used', 'used', 2],
      ['burned', 'open', 0],
      ['issued', 'open', 0],
    ]);
  });

  test('codes are counted by equal columns, newest first, and the newest of a browser is valid', async () => {
    await db.write(async (tx) => {
      await tx.deleteFrom('codes').execute();
      await insertCode(tx, code('d1', { createdAt: 10 }));
      await insertCode(tx, code('d2', { createdAt: 20, target: 'message:n' }));
      await insertCode(tx, code('d3', { createdAt: 30, network: '192.0.2.2', nonceHash: Buffer.from('another') }));
      await insertCode(tx, code('d4', { createdAt: 40, isUnknown: true }));
      await insertCode(tx, code('d5', { createdAt: 50, address: 'eve@quay.example' }));
    });
    const times = (scope: Parameters<typeof listCodeTimes>[1], since = 0, limit = 9) =>
      listCodeTimes(db.read, scope, { since, limit });
    assert.deepEqual(await times({ address: 'ben@harbour.example' }), [40, 30, 20, 10]);
    assert.deepEqual(await times({ address: 'ben@harbour.example', isKnown: true }), [30, 20, 10]);
    assert.deepEqual(await times({ address: 'ben@harbour.example' }, 20, 1), [40]);
    assert.deepEqual(await times({ address: 'ben@harbour.example' }, 30), [40]);
    assert.deepEqual(await times({ target: 'message:n' }), [20]);
    assert.deepEqual(await times({ network: '192.0.2.2' }), [30]);
    const found = (browser: string, target: string) => findCode(db.read, Buffer.from(browser), target);
    assert.equal((await found('browser', 'message:m'))?.id, 'd5');
    assert.equal((await found('another', 'message:m'))?.id, 'd3');
    assert.equal(await found('another', 'message:n'), undefined);
  });

  test('codes are deleted a day after they expired, proofs when they do', async () => {
    const now = 10 * dayMs;
    const proof = (address: string, at: number, expiresAt: number, browser = 'b') => ({
      idHash: Buffer.from(browser),
      address,
      now: at,
      expiresAt,
    });
    await db.write(async (tx) => {
      await tx.deleteFrom('codes').execute();
      await insertCode(tx, code('gone', { expiresAt: now - dayMs - 1 }));
      await insertCode(tx, code('kept', { expiresAt: now - dayMs }));
      await insertProof(tx, proof('older@x.example', 1, now + 1));
      await insertProof(tx, proof('newer@x.example', 2, now + 1));
      await insertProof(tx, proof('ending@x.example', 3, now));
      await insertProof(tx, proof('ended@x.example', 3, now - 1));
      await insertProof(tx, proof('other@x.example', 3, now + 1, 'another'));
    });
    const proven = () => listProvenAddresses(db.read, Buffer.from('b'), now);
    assert.deepEqual(await proven(), ['newer@x.example', 'older@x.example']);
    await db.write((tx) => deleteOldCodes(tx, now));
    assert.deepEqual(await proven(), ['newer@x.example', 'older@x.example']);
    const left = await db.read.selectFrom('codes').select('id').execute();
    assert.deepEqual(left, [{ id: 'kept' }]);
    const proofs = await db.read.selectFrom('proofs').select('address').execute();
    assert.equal(proofs.length, 4);
  });

  test('a link for a password is replaced by the next of its kind and person, works once and in time, and is stored for a month', async () => {
    for (const name of ['ann', 'bob']) await app.person(name);
    const [ann, bob] = ['ann-example-com', 'bob-example-com'];
    const hash = (name: string) => Buffer.from(name);
    const link = (name: string, userId: string, kind: 'reset' | 'invitation', expiresAt = 100) => ({
      idHash: hash(name),
      userId,
      kind,
      createdAt: 0,
      expiresAt,
    });
    const use = (name: string, now: number) => db.write((tx) => consumeOneTimeLink(tx, hash(name), now));
    const there = async () => {
      const rows = await db.read.selectFrom('one_time_tokens').select('id_hash').execute();
      return rows.map((row) => row.id_hash.toString()).toSorted();
    };
    const replace = (...links: ReturnType<typeof link>[]) =>
      db.write(async (tx) => {
        for (const one of links) await replaceOneTimeLink(tx, one);
      });
    await replace(link('used', ann, 'reset'));
    assert.deepEqual([await use('used', 100), await use('used', 99), await use('used', 99)], [false, true, false]);
    await replace(link('void', ann, 'reset'), link('invitation', ann, 'invitation'), link('bobs', bob, 'reset'));
    await replace(link('newest', ann, 'reset', 100 + 30 * dayMs));
    assert.deepEqual(await there(), ['bobs', 'invitation', 'newest', 'used']);
    assert.equal((await findOneTimeLink(db.read, hash('used')))?.usedAt, 99);
    assert.equal(await findOneTimeLink(db.read, hash('void')), undefined);
    await db.write((tx) => deleteOldOneTimeLinks(tx, 100 + 30 * dayMs));
    assert.equal((await there()).length, 4);
    await db.write((tx) => deleteOldOneTimeLinks(tx, 101 + 30 * dayMs));
    assert.deepEqual(await there(), ['newest']);
    await replace(link('bobs', bob, 'reset'));
    await db.write((tx) => deleteOneTimeLinksOf(tx, bob));
    assert.deepEqual(await there(), ['newest']);
  });
});
