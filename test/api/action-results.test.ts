import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { confirmTotp } from '#server/actions/account/totp.ts';
import { newTicket } from '#server/actions/downloads/tickets.ts';
import { queueExpiryNotice } from '#server/actions/messages/expiry-notices.ts';
import { unlockUser } from '#server/actions/sessions/operator-links.ts';
import { shortestKeptHours, signInWithPassword } from '#server/actions/sessions/sessions.ts';
import { getStorageOverview } from '#server/actions/storage/storage.ts';
import { findInstallationAmounts } from '#server/actions/system/metrics.ts';
import { advanceLog, createLog, findLogHead } from '#server/db/evidence/evidence.ts';
import type { Tx } from '#server/db/schema/schema.ts';
import { endLease, holdsLease, renewLease, takeLease } from '#server/db/system/jobs.ts';
import { endWhatWasOpen } from '#server/db/system/restoring.ts';
import { findUser } from '#server/db/users/users.ts';
import { operatorCaller, systemCaller, type UserCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { counterRow } from '#test/kit/counters.ts';
import { browserProving, inlineFile, sendMessage } from '#test/kit/messages.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const dayMs = 86_400_000;
const password = 'seven lamps under a quiet river';

onOneEngine('The result of an action', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let caller: UserCaller;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
    caller = await callerFor(app, alice);
  });
  const events = async (action: string) => {
    const { read } = app.app.ctx.db;
    return (await read.selectFrom('events').select('action').execute()).filter((row) => row.action === action).length;
  };

  test('that mails before files end is true once, and false for files that are not ending, not sent or over', async () => {
    const { ctx } = app.app;
    const message = { recipients: ['ben@harbour.example'], subject: 'Drawings', send_email: false };
    const send = async (days: number) => {
      const expires_at = new Date(app.clock.now() + days * dayMs).toISOString().slice(0, 10);
      const attachments = [inlineFile('plan.txt', 'the plan')];
      return (await sendMessage(alice, { ...message, attachments, expires_at })).id;
    };
    const [ending, late, over] = [await send(1), await send(29), await send(1)];
    await alice.expect(200, 'revokeMessage', { params: { id: over } });
    await ctx.db.write((tx) => tx.deleteFrom('outbox').execute());
    app.clock.advance(dayMs);
    assert.equal(await queueExpiryNotice(ctx, late), false);
    assert.equal(await queueExpiryNotice(ctx, over), false);
    assert.equal(await queueExpiryNotice(ctx, 'A'.repeat(22)), false);
    assert.equal(await events('message.expiry_told'), 0);
    assert.equal(await queueExpiryNotice(ctx, ending), true);
    assert.equal(await queueExpiryNotice(ctx, ending), false);
    assert.equal(await events('message.expiry_told'), 1);
    app.clock.advance(90_000);
    assert.equal((await findInstallationAmounts(ctx)).oldestMailSeconds, 90, 'its mail waits');
    await ctx.db.write((tx) =>
      tx
        .updateTable('outbox')
        .set({ created_at: app.clock.now() + 1 })
        .execute(),
    );
    assert.equal((await findInstallationAmounts(ctx)).oldestMailSeconds, 0, 'a clock that was set back makes no minus');
    await ctx.db.write((tx) => tx.deleteFrom('outbox').execute());
    assert.equal((await findInstallationAmounts(ctx)).oldestMailSeconds, 0);
  });

  test('that checks a second step is false where the group does not use it, whatever the code is', async () => {
    const policy = { ...caller.policy, require_second_factor: 'off' } as const;
    assert.equal(await confirmTotp(app.app.ctx, { ...caller, policy }, '123456'), null);
    assert.equal(await confirmTotp(app.app.ctx, caller, 'no code'), null);
  });

  test('that removes lockouts of a sign-in is false when there were none, and writes nothing', async () => {
    const { ctx } = app.app;
    assert.equal(await unlockUser(ctx, alice.email), false);
    assert.equal(await events('user.unlocked'), 0);
    const attempt = counterRow({ kind: 'signIn', about: idOf(alice), window_ends_at: app.clock.now() + dayMs });
    await ctx.db.write((tx) => tx.insertInto('attempts').values(attempt).execute());
    assert.equal(await unlockUser(ctx, ` ${alice.email.toUpperCase()} `), true);
    assert.equal(await unlockUser(ctx, alice.email), false);
    assert.equal(await events('user.unlocked'), 1);
  });

  test('that appends a step to the evidence log is false unless the log ends where the step begins', async () => {
    const { db } = app.app.ctx;
    await db.write((tx) => createLog(tx, 'example.com/log', app.clock.now()));
    const before = (await findLogHead(db.read))!;
    const head = { ...before, size: before.size + 1, lastSeq: before.lastSeq + 1, note: 'a note', sealedAt: 7 };
    assert.equal(await db.write((tx) => advanceLog(tx, before.size + 1, head)), false);
    assert.deepEqual(await findLogHead(db.read), before);
    assert.equal(await db.write((tx) => advanceLog(tx, before.size, head)), true);
    assert.deepEqual(await findLogHead(db.read), head);
    assert.equal(await db.write((tx) => advanceLog(tx, before.size, head)), false);
  });

  test('that computes free storage is never negative', async (context) => {
    const { ctx } = app.app;
    for (const [usedBytes, freeBytes] of [
      [30, 70],
      [130, 0],
    ] as const) {
      const space = context.mock.method(ctx.blobs, 'space', async () => ({ usedBytes, totalBytes: 100 }));
      const overview = await getStorageOverview(ctx, operatorCaller());
      space.mock.restore();
      assert.deepEqual([overview.freeBytes, overview.totalBytes], [freeBytes, 100]);
    }
  });

  test('about staying signed in is the shortest time of all groups', async () => {
    await app.group('Short', { session_hours: 7 });
    await app.group('Long', { session_hours: 900 });
    assert.equal(await shortestKeptHours(app.app.ctx), 7);
  });

  test('about the end of a ticket is a day from now, or the end of its target if that comes first', () => {
    const now = app.clock.now();
    for (const [target, ticket] of [
      [now + 2 * dayMs, now + dayMs],
      [now + dayMs, now + dayMs],
      [now + dayMs - 1, now + dayMs - 1],
    ] as const) {
      const input = { expiresAt: target } as Parameters<typeof newTicket>[2];
      assert.equal(newTicket(app.app.ctx, 'id', input).expiresAt, ticket);
    }
  });

  test('about the lease of a job is true only for its holder', async () => {
    const { db } = app.app.ctx;
    const now = app.clock.now();
    const [own, foreign, other] = [
      { name: 'one', holder: 'a' },
      { name: 'one', holder: 'b' },
      { name: 'two', holder: 'a' },
    ];
    const row = async (name: string) =>
      db.read
        .selectFrom('jobs')
        .select(['holder', 'lease_ends_at', 'note'])
        .where('name', '=', name)
        .executeTakeFirst();
    await db.write(async (tx) => {
      assert.deepEqual(
        [await takeLease(tx, own, now, now + 10), await takeLease(tx, other, now, now + 10)],
        [true, true],
      );
      assert.equal(await takeLease(tx, foreign, now + 9, now + 20), false);
      assert.equal(await holdsLease(tx, own, 'sqlite'), true);
      assert.equal(await holdsLease(tx, foreign, 'sqlite'), false);
      await renewLease(tx, foreign, now + 99);
      await endLease(tx, foreign, now, { note: 'not mine', tookMs: 1, failure: null });
    });
    assert.deepEqual({ ...(await row('one')) }, { holder: 'a', lease_ends_at: now + 10, note: '' });
    await db.write(async (tx) => {
      await renewLease(tx, own, now + 20);
      await endLease(tx, other, now, { note: 'done', tookMs: 1, failure: null });
      await renewLease(tx, other, now + 99);
      assert.equal(await holdsLease(tx, other, 'sqlite'), false);
    });
    assert.deepEqual({ ...(await row('one')) }, { holder: 'a', lease_ends_at: now + 20, note: '' });
    assert.deepEqual({ ...(await row('two')) }, { holder: 'a', lease_ends_at: 0, note: 'done' });
  });

  test('for a restored copy ends all sessions, holds pending mail, and releases all job leases', async () => {
    const { ctx } = app.app;
    const now = app.clock.now();
    await signInWithPassword(ctx, systemCaller, { login: alice.email, password, keep: false });
    await browserProving(app, 'ben@harbour.example');
    const rows = { sessions: 0, proofs: 0, codes: 0 };
    const count = async (tx: Tx) => {
      for (const table of ['sessions', 'proofs', 'codes'] as const)
        rows[table] = (await tx.selectFrom(table).select('expires_at').execute()).length;
      return rows;
    };
    const hashes = { nonce_hash: Buffer.from('n'), code_hash: Buffer.from('c') };
    const code = { ...hashes, id: 'c', address: 'x', target: 'x', tries: 0, created_at: now, expires_at: now + 1 };
    const states = { state: 'issued', link_state: 'open', network: '', is_unknown: 0 } as const;
    const mail = (id: string, state: 'pending' | 'sending' | 'sent') => ({
      ...{ id, kind: 'message', recipient: 'x', owner_id: '', payload_sealed: Buffer.alloc(0), state, attempts: 1 },
      ...{ next_at: now, lease_ends_at: 9, server_text: '', created_at: now },
    });
    const undone = ctx.db.write(async (tx) => {
      await tx
        .insertInto('codes')
        .values({ ...code, ...states })
        .execute();
      await tx
        .insertInto('outbox')
        .values([mail('m1', 'pending'), mail('m2', 'sending'), mail('m3', 'sent')])
        .execute();
      await takeLease(tx, { name: 'three', holder: 'a' }, now, now + 10);
      const before = await count(tx);
      assert.ok(before.sessions > 0 && before.proofs > 0 && before.codes > 0);
      const held = await endWhatWasOpen(tx, 77);
      assert.equal(held, (await tx.selectFrom('outbox').select('id').where('state', '=', 'held').execute()).length);
      assert.ok(held >= 2);
      assert.deepEqual(await count(tx), { sessions: 0, proofs: 0, codes: 0 });
      assert.equal(await holdsLease(tx, { name: 'three', holder: 'a' }, 'sqlite'), false);
      const mails = await tx
        .selectFrom('outbox')
        .select(['id', 'state', 'finished_at', 'lease_ends_at', 'server_text'])
        .where('id', 'in', ['m1', 'm2', 'm3'])
        .orderBy('id')
        .execute();
      const notices = mails.map((one) => [
        one.state,
        one.finished_at,
        one.lease_ends_at,
        /restored/.test(one.server_text),
      ]);
      assert.deepEqual(notices, [
        ['held', 77, 0, true],
        ['held', 77, 0, true],
        ['sent', null, 9, false],
      ]);
      throw new RangeError('undone');
    });
    await assert.rejects(undone, RangeError);
  });

  test('of a sign-in with a weakly hashed password is a stronger hash', async (context) => {
    const { ctx } = app.app;
    const { passwords } = ctx.keys;
    const hash = async () => (await findUser(ctx.db.read, idOf(alice)))!.passwordHash!;
    const signIn = () => signInWithPassword(ctx, systemCaller, { login: alice.email, password, keep: false });
    const first = await hash();
    await signIn();
    assert.equal(await hash(), first);
    const verdict = context.mock.method(passwords, 'verifyPassword', async () => ({ ok: true, needsRehash: true }));
    await signIn();
    verdict.mock.restore();
    assert.notEqual(await hash(), first);
    assert.equal((await passwords.verifyPassword(password, await hash(), '')).ok, true);
  });

  test('that extends many transfers is the number of those it extended', async () => {
    const { ctx } = app.app;
    const carol = await newPerson(app, 'carol');
    const day = (days: number) => new Date(app.clock.now() + days * dayMs).toISOString().slice(0, 10);
    const message = { recipients: ['ben@harbour.example'], subject: 'x', message: 'x', expires_at: day(5) };
    const sent = [await sendMessage(carol, message), await sendMessage(carol, message)].map(({ id }) => id);
    const expiresOn = day(20);
    const bulk = { action: 'extend', filter: { person: carol.email }, expires_at: expiresOn, reason: 'Asked' };
    const { body } = await app.admin.expect(200, 'bulkTransfers', { body: { bulk } });
    const { id } = (body as { bulk: { task: { id: string } } }).bulk.task;
    await app.app.jobs.runOnce('run-tasks');
    const { body: task } = await app.admin.expect(200, 'getTask', { params: { id } });
    const { state, done, failed } = (task as { task: { state: string; done: number; failed: number } }).task;
    assert.deepEqual([state, done, failed], ['done', 2, 0]);
    const rows = await ctx.db.read.selectFrom('messages').select('expires_on').where('id', 'in', sent).execute();
    assert.deepEqual(
      rows.map((row) => row.expires_on),
      [expiresOn, expiresOn],
    );
  });
});
