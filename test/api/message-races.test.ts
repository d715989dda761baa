import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { issueTicket, type NewTicket, newTicket } from '#server/actions/downloads/tickets.ts';
import { endMessageFiles } from '#server/actions/messages/ending.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase, type TestApp } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sha256Of, someBytes } from '#test/kit/content.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { send as request } from '#test/kit/http.ts';
import {
  countersOf,
  fileUrlOf,
  inlineFile,
  newPerson,
  readMessage,
  sendMessage,
  tracesOf,
} from '#test/kit/messages.ts';
import { assertInside, beyondBuffersBytes } from '#test/kit/outside.ts';
import { head } from '#test/kit/raw-http.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';

const bytes = someBytes(20_000);
const checksum = sha256Of(bytes);
const limits = [1, 2, 10, 100];
const atOnce = 75;

/** Calls the function a number of times, partly concurrently. */
async function race<Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const runner = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, runner));
  return results;
}

onEachDatabase('Racing downloads of a message', (start, engine) => {
  // On PostgreSQL, where transactions conflict, 1,000 downloads race; on SQLite, with one writer, a few are enough.
  const isOneWriter = engine === sqliteAndDisk;
  const visitorsFor = (limit: number) => (isOneWriter ? limit + 20 : 150);
  let app: TestApp;
  let alice: ApiClient;
  let bob: ApiClient;
  let carol: ApiClient;
  /** While set, the store returns no byte. */
  let holdBytes: { arrived(destination: Writable): void; released: Promise<void> } | null = null;
  before(async () => {
    app = await start({
      environment: { WAYBILL_ROLE: 'web' },
      canRunOutside: true,
      wrapVault: (vault) => ({
        ...vault,
        async send(blob, range, destination, signal) {
          if (holdBytes !== null) {
            holdBytes.arrived(destination);
            await holdBytes.released;
          }
          return vault.send(blob, range, destination, signal);
        },
      }),
    });
    const group = await app.group('Senders', { message_can_use_anyone: true });
    alice = await newPerson(app, 'alice', { group });
    bob = await newPerson(app, 'bob');
    carol = await newPerson(app, 'carol');
  });
  after(() => app.close());

  async function send(more: Record<string, unknown>) {
    const message = { recipients: [bob.email, carol.email], attachments: [inlineFile('plan.bin', bytes)], ...more };
    // The end of the previous race may still keep the database busy.
    const { id } = await until(() => sendMessage(alice, message));
    const { attachments } = await readMessage(alice, id);
    return { id, attachmentId: attachments[0]!.id };
  }

  interface Sent {
    id: string;
    attachmentId: string;
  }

  function wantedFor(sent: Sent): NewTicket {
    return {
      attachmentId: sent.attachmentId,
      ownerId: 'alice-example-com',
      linkId: null,
      messageId: sent.id,
      recipient: '',
      identity: '',
      accountId: null,
      kind: 'visitor',
      expiresAt: app.clock.now() + 86_400_000,
    };
  }

  /** The ticket of an unknown visitor who clicks Download. */
  async function ticketFor(sent: Sent): Promise<string> {
    // On an overloaded machine no database connection is free within five seconds, and a browser would be asked to retry.
    const { id } = await until(() => issueTicket(app.app.ctx, wantedFor(sent)));
    return `/dl/${id}/plan.bin`;
  }

  /** Tickets of many visitors, as copies of the first row, because issuing them is not under test. */
  async function ticketsFor(sent: Sent, count: number): Promise<string[]> {
    const { ctx } = app.app;
    const { ticket } = await until(() => issueTicket(ctx, wantedFor(sent)));
    const like = ctx.db.read.selectFrom('tickets').selectAll().where('id_hash', '=', ticket.idHash);
    const row = await like.executeTakeFirstOrThrow();
    const ids = Array.from({ length: count }, () => ctx.random.id());
    const rows = ids.map((id) => ({ ...row, id_hash: newTicket(ctx, id, wantedFor(sent)).idHash }));
    await until(() => ctx.db.write((tx) => tx.insertInto('tickets').values(rows).execute()));
    return ids.map((id) => `/dl/${id}/plan.bin`);
  }

  /** True for the whole file, false for a refusal; everything else fails. */
  async function isWhole(url: string, headers: Record<string, string> = {}): Promise<boolean> {
    const reply = await request(url, { headers: { accept: 'application/json', ...headers } }).catch(() => null);
    // An overloaded service asks to retry, or disconnects after the grant, which is then given back.
    if (reply === null) {
      await untilDownloadsEnd(app);
      return isWhole(url, headers);
    }
    if (reply.status === 503) return isWhole(url, headers);
    if (reply.status === 410) return false;
    assert.equal(reply.status, 200, reply.bytes.toString().slice(0, 200));
    assert.equal(sha256Of(reply.bytes), checksum);
    return true;
  }

  async function logged(id: string): Promise<string[]> {
    const rows = await app.app.ctx.db.read
      .selectFrom('downloads')
      .select('outcome')
      .where('message_id', '=', id)
      .execute();
    return rows.map(({ outcome }) => outcome);
  }

  /** The server writes the log after the last byte, so a client may be ahead of it. */
  const finished = (id: string) =>
    until(async () => {
      const outcomes = await logged(id);
      return outcomes.includes('granted') ? null : outcomes;
    });

  /** Without downloads that ended before their first byte and were given back. */
  const delivered = async (id: string) => (await finished(id)).filter((outcome) => outcome !== 'refunded');

  for (const limit of limits) {
    const visitors = visitorsFor(limit);
    test(`of ${visitors} visitors exactly ${limit} get the file where anyone may download it ${limit} times`, async () => {
      const sent = await send({ authorization: 0, expires_after: limit });
      const tickets = await ticketsFor(sent, visitors);
      const got = await race(visitors, (index) => isWhole(`${app.url}${tickets[index]}`));
      assert.equal(got.filter((isFile) => isFile).length, limit);
      assert.deepEqual(await countersOf(app, sent.id), { '': limit });
      assert.deepEqual(await delivered(sent.id), Array(limit).fill('complete'));
    });

    test(`each recipient gets the file exactly ${limit} times where that is permitted`, async () => {
      const sent = await send({ authorization: 3, expires_after: limit });
      const url = `${app.url}${await fileUrlOf(alice, sent.id)}`;
      const people = [bob, carol];
      const got = await race(isOneWriter ? 2 * limit + 20 : Math.max(50, 2.5 * limit), (index) =>
        isWhole(url, { authorization: `Bearer ${people[index % people.length]!.key}` }),
      );
      for (const [number, person] of people.entries()) {
        const whole = got.filter((isFile, index) => isFile && index % people.length === number);
        assert.equal(whole.length, limit, person.email);
      }
      assert.deepEqual(await countersOf(app, sent.id), { [bob.email]: limit, [carol.email]: limit });
      assert.equal((await delivered(sent.id)).length, 2 * limit);
    });
  }

  test('one ticket used concurrently counts once and serves the file twice at most', async () => {
    const sent = await send({ authorization: 0, expires_after: 5 });
    const ticket = await ticketFor(sent);
    const got = await race(isOneWriter ? 20 : 60, () => isWhole(`${app.url}${ticket}`));
    const copies = got.filter((isFile) => isFile).length;
    assert.ok(copies === 1 || copies === 2, `${copies} copies`);
    assert.deepEqual(await countersOf(app, sent.id), { '': 1 });
    assert.equal((await finished(sent.id)).length, 1);
  });

  test('a download given back to one recipient leaves the count of another', async () => {
    assertInside();
    const sent = await send({ authorization: 3, expires_after: 2 });
    const url = await fileUrlOf(alice, sent.id);
    assert.equal((await carol.fetch(url)).status, 200);
    let release = () => {};
    const arrived = new Promise<Writable>((resolve) => {
      holdBytes = {
        arrived: resolve,
        released: new Promise((free) => {
          release = free;
        }),
      };
    });
    const gone = new AbortController();
    const fetching = bob.fetch(url, { signal: gone.signal }).catch(() => null);
    try {
      const destination = await arrived;
      assert.deepEqual(await countersOf(app, sent.id), { [bob.email]: 1, [carol.email]: 1 });
      gone.abort();
      await fetching;
      await until(async () => destination.destroyed);
    } finally {
      holdBytes = null;
      release();
    }
    await until(async () => (await countersOf(app, sent.id))[bob.email] === 0);
    assert.deepEqual(await countersOf(app, sent.id), { [bob.email]: 0, [carol.email]: 1 });
  });

  test('a download that is cut before its first byte is given back, each of them once', async () => {
    assertInside();
    const sent = await send({ authorization: 0, expires_after: 3 });
    const destinations: Writable[] = [];
    let release = () => {};
    holdBytes = {
      arrived: (destination) => void destinations.push(destination),
      released: new Promise((resolve) => {
        release = resolve;
      }),
    };
    const { hostname, port } = new URL(app.url);
    const sockets = await race(3, async () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      socket.write(head(app.url, `GET ${await ticketFor(sent)}`, ['Accept: text/html']));
      return socket;
    });
    try {
      await until(async () => destinations.length === 3);
      assert.deepEqual(await countersOf(app, sent.id), { '': 3 }, 'granted before the first byte');
      for (const socket of sockets) socket.destroy();
      await until(async () => destinations.every((destination) => destination.destroyed));
    } finally {
      holdBytes = null;
      release();
    }
    assert.deepEqual(await finished(sent.id), Array(3).fill('refunded'));
    assert.deepEqual(await countersOf(app, sent.id), { '': 0 });
    const tickets = await ticketsFor(sent, 20);
    const got = await race(20, (index) => isWhole(`${app.url}${tickets[index]}`));
    assert.equal(got.filter((isFile) => isFile).length, 3);
    const { body } = await alice.expect(200, 'listMessageDownloads', { params: { id: sent.id } });
    assert.equal(
      (body as { downloads: unknown[] }).downloads.length,
      3,
      'a download that was given back does not count',
    );
  });

  test('a download that is cut after its first byte stays counted, and continues under its ticket', async () => {
    const large = someBytes(beyondBuffersBytes);
    const file = await alice.upload('large.bin', large, 'uploadForMessage');
    const sent = await send({ authorization: 0, expires_after: 1, attachments: [file.id] });
    const ticket = await ticketFor(sent);
    const { hostname, port } = new URL(app.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    socket.write(head(app.url, `GET ${ticket}`, ['Accept: text/html']));
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    socket.destroy();
    assert.deepEqual(await finished(sent.id), ['partial']);
    assert.deepEqual(await countersOf(app, sent.id), { '': 1 });
    const browser = new Browser(app.url);
    const rest = await browser.get(ticket, { range: 'bytes=1000-', 'if-range': `"${sha256Of(large)}"` });
    assert.equal(rest.status, 206);
    assert.equal(sha256Of(rest.bytes), sha256Of(large.subarray(1000)));
    assert.deepEqual(await countersOf(app, sent.id), { '': 1 });
    assert.equal((await browser.get(await ticketFor(sent))).status, 410);
  });

  test('access ends with the last millisecond of the day, in the statement that grants', async () => {
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const sent = await send({ authorization: 0, expires_at: today });
    const [before, at] = [await ticketFor(sent), await ticketFor(sent)];
    app.clock.set(Date.parse(`${today}T23:59:59.999Z`));
    assert.equal(await isWhole(`${app.url}${before}`), true);
    app.clock.set(Date.parse(`${today}T23:59:59.999Z`) + 1);
    const late = await new Browser(app.url).get(at);
    assert.ok([404, 410].includes(late.status));
    assert.deepEqual(await countersOf(app, sent.id), { '': 1 });
  });

  test('once a message is withdrawn no download begins, and of concurrent withdrawals one wins', async () => {
    const sent = await send({ authorization: 0 });
    const tickets = await ticketsFor(sent, 60);
    const withdraw = () => alice.call('deleteMessageAttachments', { params: { id: sent.id } });
    const [withdrawals] = await Promise.all([
      Promise.all([withdraw(), withdraw(), withdraw()]),
      race(40, async (index) => {
        // Cut streams break the connection, which is expected after the answer.
        await request(`${app.url}${tickets[index]}`, { headers: { accept: 'text/html' } }).catch(() => null);
      }),
    ]);
    assert.deepEqual(withdrawals.map(({ status }) => status).sort(), [200, 422, 422]);
    for (const ticket of tickets.slice(40)) assert.equal((await new Browser(app.url).get(ticket)).status, 410);
  });

  /** On SQLite a writer waits always; on PostgreSQL only while another transaction locks the row. */
  const isWriterWaiting = () =>
    until(async () => {
      const { db } = app.app.ctx;
      if (db.dialect === 'sqlite') return true;
      const waiting = sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return (await waiting.execute(db.read)).rows.length > 0;
    });

  test('files withdrawn at the moment their message expires are erased, and not reported as gone already', async () => {
    const { ctx } = app.app;
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const sent = await send({ authorization: 0, expires_at: today });
    app.clock.set(Date.parse(`${today}T23:59:59.999Z`) + 1);
    const ended = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const expiry = ctx.db.write(async (tx) => {
      await endMessageFiles(ctx, tx, systemCaller, { id: sent.id, to: 'released', erases: false });
      ended.resolve();
      await mayCommit.promise;
    });
    await ended.promise;
    const withdrawal = alice.call('deleteMessageAttachments', { params: { id: sent.id } });
    await isWriterWaiting();
    mayCommit.resolve();
    await expiry;
    assert.equal((await withdrawal).status, 200);
    const states = ctx.db.read.selectFrom('attachments').select('state').where('id', '=', sent.attachmentId);
    assert.deepEqual(await states.execute(), [{ state: 'erased' }]);
  });

  test('concurrent messages reach 500 people an hour and not one more', async () => {
    const bulk = await newPerson(app, 'bulk');
    const people = (number: number) => Array.from({ length: 50 }, (_, index) => `p${number}-${index}@harbour.example`);
    const before = await tracesOf(app);
    const replies = await race(20, (number) =>
      until(async () => {
        const message = { recipients: people(number), send_email: true, bcc_myself: false };
        const reply = await bulk.call('sendMessage', { body: { message } });
        return reply.status !== 503 && reply; // overloaded: nothing was sent, and the next attempt may succeed
      }),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 10);
    assert.equal(replies.filter(({ status }) => status === 422).length, 10);
    assert.equal((await tracesOf(app)).outbox, (before.outbox as number) + 500);
  });
});
