// SQLite runs the two writes one after the other; on PostgreSQL both transactions have read before either writes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { endLink } from '#server/actions/file-links/file-links.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { handOver } from '#server/actions/transfers/hand-over.ts';
import { eraseEverythingOf } from '#server/actions/users/erasure.ts';
import { changeUser } from '#server/actions/users/users.ts';
import { answerFileRequest, updateFileRequest } from '#server/db/file-requests/file-requests.ts';
import type { Tx } from '#server/db/schema/schema.ts';
import { changeOwner } from '#server/db/transfers/transfer-owners.ts';
import { findUser } from '#server/db/users/users.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { type ApiClient, assertRefused, type Reply } from '#test/kit/client.ts';
import { callDuringTransaction } from '#test/kit/during-transaction.ts';
import { attachmentRow } from '#test/kit/inside.ts';
import { linkTo } from '#test/kit/links.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { searched } from '#test/kit/references.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('a change concurrent with another', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  function assertSecond(reply: Reply, codes: { sqlite: string; postgres: string }): void {
    if (app.app.ctx.db.dialect === 'sqlite') assertRefused(reply, 422, codes.sqlite);
    else assertRefused(reply, 409, codes.postgres);
  }

  async function newRequest(): Promise<string> {
    const request = { recipient: 'ben@harbour.example', send_email: false };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    return (body as { request: { id: string } }).request.id;
  }
  const rowOf = (id: string) =>
    app.app.ctx.db.read
      .selectFrom('file_requests')
      .select(['state', 'owner_id', 'expires_on'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  const answer = (id: string) => (tx: Tx) => answerFileRequest(tx, id, app.clock.now());

  test('by the owner of a request that is being answered changes nothing', async () => {
    const codes = { sqlite: 'request.not_open', postgres: 'request.changed' };
    for (const name of ['extendRequest', 'closeRequest'] as const) {
      const id = await newRequest();
      const { expires_on } = await rowOf(id);
      const body = name === 'extendRequest' ? { body: { expires_at: '2026-12-24' } } : {};
      const reply = await callDuringTransaction(app, answer(id), () => alice.call(name, { params: { id }, ...body }));
      assertSecond(reply, codes);
      assert.deepEqual(await rowOf(id), { state: 'used', owner_id: idOf(alice), expires_on }, name);
    }
  });

  test('by the owner who reopens a request twice takes effect once', async () => {
    const id = await newRequest();
    await alice.expect(200, 'closeRequest', { params: { id } });
    const reopen = (tx: Tx) => updateFileRequest(tx, { id, state: 'closed' }, { state: 'open' }, app.clock.now());
    const again = () => alice.call('reopenRequest', { params: { id }, body: { send_email: true } });
    assertSecond(await callDuringTransaction(app, reopen, again), {
      sqlite: 'request.still_open',
      postgres: 'request.changed',
    });
    const mails = app.app.ctx.db.read.selectFrom('outbox').select('id').where('recipient', '=', 'ben@harbour.example');
    assert.deepEqual(await mails.execute(), [], 'the refused call sends no mail');
  });

  test('by an administrator of a request that is being answered or closed changes nothing', async () => {
    const [late, closed] = [await newRequest(), await newRequest()];
    const { expires_on } = await rowOf(late);
    const params = await searched(app.admin, late);
    const extend = () => app.admin.call('extendTransfer', { params, body: { expires_at: '2026-12-24', reason: '' } });
    assertSecond(await callDuringTransaction(app, answer(late), extend), {
      sqlite: 'transfer.answered',
      postgres: 'transfer.changed',
    });
    assert.deepEqual(await rowOf(late), { state: 'used', owner_id: idOf(alice), expires_on });
    const close = (tx: Tx) =>
      updateFileRequest(tx, { id: closed, state: 'open' }, { state: 'closed' }, app.clock.now());
    const ofClosed = await searched(app.admin, closed);
    const stop = () => app.admin.call('stopTransfer', { params: ofClosed, body: { reason: '' } });
    assertSecond(await callDuringTransaction(app, close, stop), {
      sqlite: 'transfer.stopped',
      postgres: 'transfer.changed',
    });
    const events = app.app.ctx.db.read.selectFrom('events').select('action').where('object_id', 'in', [late, closed]);
    assert.deepEqual(
      (await events.execute()).map(({ action }) => action),
      ['request.created', 'request.created'],
    );
  });

  test('by an administrator of a link that is being deleted does not bring it back', async () => {
    const { id } = await linkTo(alice, (await alice.upload('a.txt', 'a')).id);
    const { ctx } = app.app;
    const end = (tx: Tx) => endLink(ctx, tx, systemCaller, { id, to: 'deleted', erases: false });
    const params = await searched(app.admin, id);
    const extend = () => app.admin.call('extendTransfer', { params, body: { expires_at: '2026-12-24', reason: '' } });
    assertSecond(await callDuringTransaction(app, end, extend), {
      sqlite: 'transfer.stopped',
      postgres: 'transfer.changed',
    });
    await alice.refused(404, 'link.not_found', 'getFileLink', { params: { id } });
  });

  test('by an administrator who hands over what is being handed over leaves it with the first new owner', async () => {
    const [first, second] = [await newPerson(app, 'first'), await newPerson(app, 'second')];
    const id = await newRequest();
    const give = (tx: Tx) =>
      changeOwner(tx, { id, kind: 'request', ownerId: idOf(alice) }, idOf(first), app.clock.now());
    const params = await searched(app.admin, id);
    const handOver = () => app.admin.call('handOverTransfer', { params, body: { to: idOf(second), reason: '' } });
    const reply = await callDuringTransaction(app, give, handOver);
    if (app.app.ctx.db.dialect === 'sqlite')
      assert.equal(reply.status, 200, 'the second call hands over from the new owner');
    else {
      assertRefused(reply, 409, 'transfer.changed');
      assert.equal((await rowOf(id)).owner_id, idOf(first));
    }
  });

  test('by the owner of a link that expires at this moment is retried, and the link is extended', async () => {
    const file = await alice.upload('a.txt', 'a');
    const { id } = await linkTo(alice, file.id, { expires_at: '2026-11-17' });
    app.clock.set(Date.UTC(2026, 10, 18));
    const { ctx } = app.app;
    const release = (tx: Tx) => endLink(ctx, tx, systemCaller, { id, to: 'released' });
    const extend = () => alice.call('updateExpiresAt', { params: { id }, body: { expires_at: '2026-11-30' } });
    assert.equal((await callDuringTransaction(app, release, extend)).status, 200);
    const { body } = await alice.expect(200, 'getFileLink', { params: { id } });
    assert.equal((body as { link: { expires_at: string } }).link.expires_at, '2026-11-30');
    const { reference_count, erase_after_uptime } = (await attachmentRow(app, file.id))!;
    assert.deepEqual([reference_count, erase_after_uptime], [1, null], 'and holds its file');
  });

  testOnce('that loses repeatedly is refused, and the caller gets a time to retry', async () => {
    const { id } = await linkTo(alice, (await alice.upload('a.txt', 'a')).id);
    const { db } = app.app.ctx;
    // A trigger drops every such change, since no real race can be lost three times in a row.
    await db.write((tx) =>
      sql`create trigger always_late before update on file_links begin select raise(ignore); end`.execute(tx),
    );
    const change = () => alice.call('updateExpiresAt', { params: { id }, body: { expires_at: '2026-11-30' } });
    const refused = assertRefused(await change(), 503, 'link.busy');
    assert.equal(refused.headers.get('retry-after'), '1');
    const changes = db.read.selectFrom('events').select('action').where('object_id', '=', id);
    assert.deepEqual(
      (await changes.execute()).map(({ action }) => action),
      ['link.created'],
    );
    await db.write((tx) => sql`drop trigger always_late`.execute(tx));
    assert.equal((await change()).status, 200);
  });

  test('by an administrator who sets a password keeps the name and the address that another one set', async () => {
    const { ctx } = app.app;
    const carl = await newPerson(app, 'carl');
    const params = { id: idOf(carl) };
    const given = { name: 'Carl Newman', email: 'carl.newman@example.com' };
    const { passwords } = ctx.keys;
    const hashPassword = async (password: string, network: string) => {
      await app.admin.expect(200, 'changeUser', { params, body: { user: given } });
      return passwords.hashPassword(password, network);
    };
    const slow = { ...ctx, keys: { ...ctx.keys, passwords: { ...passwords, hashPassword } } };
    const root = callerOf((await findUser(ctx.db.read, 'root-example-com'))!, systemCaller.from);
    const user = await changeUser(slow, root, idOf(carl), { password: 'nine slow herons at the weir' });
    assert.deepEqual({ name: user.name, email: user.email }, given);
  });

  test('that deletes a user who is being given a transfer leaves it with its owner', async () => {
    const { ctx } = app.app;
    const newOwner = await newPerson(app, 'new-owner');
    const seen = (await findUser(ctx.db.read, idOf(newOwner)))!;
    await app.admin.expect(200, 'deleteUser', { params: { id: idOf(newOwner) } });
    const { id } = await linkTo(alice, (await alice.upload('kept.txt', 'kept')).id);
    const root = callerOf((await findUser(ctx.db.read, 'root-example-com'))!, systemCaller.from);
    const give = () => ctx.db.write((tx) => handOver(ctx, tx, root, { id, newOwner: seen, reason: '' }));
    await assert.rejects(give, { code: 'transfer.heir_off' });
    await app.app.jobs.runOnce('erase-files');
    await alice.expect(200, 'getFileLink', { params: { id } });
  });

  test('by its former owner leaves a message unchanged that is being handed over', async () => {
    const taker = await newPerson(app, 'taker');
    const file = await alice.upload('plan.txt', 'the plan', 'uploadForMessage');
    const { id } = await sendMessage(alice, { recipients: ['ben@harbour.example'], attachments: [file.id] });
    const transfer = { id, kind: 'message', ownerId: idOf(alice) } as const;
    const handOver = (tx: Tx) => changeOwner(tx, transfer, idOf(taker), app.clock.now());
    const reply = await callDuringTransaction(app, handOver, () =>
      alice.call('deleteMessageAttachments', { params: { id } }),
    );
    assertRefused(reply, 404, 'message.not_found');
    const { message } = (await taker.expect(200, 'getMessage', { params: { id } })).body as {
      message: { attachments: { available: boolean }[] };
    };
    assert.deepEqual(
      message.attachments.map(({ available }) => available),
      [true],
    );
  });

  test('by its former owner leaves a link unchanged that is being handed over', async () => {
    const otherOwner = await newPerson(app, 'other-owner');
    const { id } = await linkTo(alice, (await alice.upload('a.txt', 'a')).id);
    const transfer = { id, kind: 'link', ownerId: idOf(alice) } as const;
    const handOver = (tx: Tx) => changeOwner(tx, transfer, idOf(otherOwner), app.clock.now());
    const reply = await callDuringTransaction(app, handOver, () => alice.call('deleteFileLink', { params: { id } }));
    assertRefused(reply, 404, 'link.not_found');
    await otherOwner.expect(200, 'getFileLink', { params: { id } });
  });

  for (const kind of ['link', 'message'] as const)
    test(`that deletes a user leaves a ${kind} that is handed over at the same time`, async () => {
      const { ctx } = app.app;
      const [leaver, other] = [await newPerson(app, `leaver-of-${kind}`), await newPerson(app, `taker-of-${kind}`)];
      const file = await leaver.upload('a.txt', 'a');
      const { id } =
        kind === 'link'
          ? await linkTo(leaver, file.id)
          : await sendMessage(leaver, { recipients: ['ben@harbour.example'], attachments: [file.id] });
      let isGiven = false;
      const named = await searched(app.admin, id);
      const write: typeof ctx.db.write = async (work) => {
        // After their items were listed, and before these are ended.
        if (!isGiven) await app.admin.expect(200, 'handOverTransfer', { params: named, body: { to: other.email } });
        isGiven = true;
        return ctx.db.write(work);
      };
      await eraseEverythingOf({ ...ctx, db: { ...ctx.db, write } }, systemCaller, idOf(leaver));
      const { transfer } = (await app.admin.expect(200, 'getTransfer', { params: named })).body as {
        transfer: { state: string; owner: { id: string } };
      };
      assert.deepEqual([transfer.state, transfer.owner.id], ['open', idOf(other)]);
      assert.equal((await attachmentRow(app, file.id)).state, 'ready');
    });
});
