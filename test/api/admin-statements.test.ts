import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { z } from 'zod';
import type { exposureStatement, leaveStatement } from '#contract/admin/statements.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { leave as startLeaving } from '#server/actions/statements/leave.ts';
import { findUser } from '#server/db/users/users.ts';
import { onEachDatabase, onOneEngine, type TestApp, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload, openDownload } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { follow } from '#test/kit/follow.ts';
import { holdUpload } from '#test/kit/held-upload.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { idsOf } from '#test/kit/references.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

type Leave = z.input<typeof leaveStatement>;
type Exposure = z.input<typeof exposureStatement>;

async function leave(admin: ApiClient, who: ApiClient, to: ApiClient | null): Promise<Leave> {
  const body = { leave: { hand_over_to: to === null ? null : idOf(to), reason: 'Last day' } };
  const reply = await admin.expect(200, 'leaveUser', { params: { id: idOf(who) }, body });
  return (reply.body as { statement: Leave }).statement;
}

onEachDatabase('leaving', (start) => {
  const app = useApp(start);
  let newOwner: ApiClient;
  before(async () => {
    newOwner = await newPerson(app, 'new-owner');
  });

  test('is refused for oneself, for people of one’s own rank, without a reason, and to an account that cannot receive transfers', async () => {
    const body = (more: Record<string, unknown>) => ({ leave: { hand_over_to: null, reason: 'Gone', ...more } });
    const root = { id: 'root-example-com' };
    await app.admin.refused(422, 'user.self', 'leaveUser', { params: root, body: body({}) });
    const boss = await newPerson(app, 'boss', { group: 'administrators' });
    const other = await newPerson(app, 'other-boss', { group: 'administrators' });
    await boss.refused(404, 'user.not_found', 'leaveUser', { params: { id: idOf(other) }, body: body({}) });
    await boss.refused(404, 'user.not_found', 'leaveUser', { params: root, body: body({}) });
    const ann = await newPerson(app, 'ann');
    const params = { id: idOf(ann) };
    await newOwner.refused(403, 'admin.not_permitted', 'leaveUser', { params, body: body({}) });
    await boss.refused(422, 'user.reason_missing', 'leaveUser', { params, body: body({ reason: ' ' }) });
    await boss.refused(422, 'leave.heir_is_leaver', 'leaveUser', { params, body: body({ hand_over_to: ann.email }) });
    const guest = await newPerson(app, 'guest', { group: 'external-users' });
    await boss.refused(422, 'transfer.heir_outside', 'leaveUser', {
      params,
      body: body({ hand_over_to: guest.email }),
    });
    await boss.refused(404, 'user.not_found', 'leaveUser', { params, body: body({ hand_over_to: 'unknown' }) });
    await ann.expect(200, 'getAccount');
  });

  test('protects the last System Administrator', async () => {
    const chief = await newPerson(app, 'chief', { group: 'system-administrators' });
    const root = { id: 'root-example-com' };
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('users').set({ state: 'disabled' }).where('id', '=', idOf(chief)).execute(),
    );
    const body = { leave: { hand_over_to: null, reason: 'Gone' } };
    await app.admin.refused(422, 'user.self', 'leaveUser', { params: root, body });
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('users').set({ state: 'active' }).where('id', '=', idOf(chief)).execute(),
    );
    await leave(app.admin, chief, null);
    await chief.expect(401, 'getAccount');
  });

  test('ends keys, sessions, the drop page and shared items, lists them, and returns the same statement when repeated', async () => {
    const ben = await newPerson(app, 'ben');
    const one = await share(ben, { bytes: 100 });
    const sent = await sendMessage(ben, {
      recipients: ['zoe@harbour.example'],
      subject: 'Plan',
      message: 'Here',
      attachments: [(await ben.upload('plan.txt', 'x'.repeat(50), 'uploadForMessage')).id],
    });
    const request = { recipient: 'zoe@harbour.example', subject: 'Files', message: 'Send them.' };
    await ben.expect(200, 'createFileRequest', { body: { request } });
    const { db } = app.app.ctx;
    const keys = await db.read.selectFrom('api_keys').select('id').where('user_id', '=', idOf(ben)).execute();
    const statement = await leave(app.admin, ben, null);
    const { findings } = statement;
    assert.equal(findings.ended.api_keys, keys.length);
    assert.equal(findings.ended.sessions, 0);
    const { messages, links, requests, bytes } = findings.stopped;
    assert.deepEqual({ messages, links, requests, bytes }, { messages: 1, links: 1, requests: 1, bytes: 150 });
    const stopped = await idsOf(
      app,
      findings.stopped.transfers.map(({ id }) => id),
    );
    assert.ok(stopped.includes(one.linkId) && stopped.includes(sent.id));
    assert.equal(findings.handed_over.messages + findings.handed_over.links, 0);
    await ben.expect(401, 'getAccount');
    assert.equal((await clickDownload(app.url, one.linkId)).path, null);
    // A client whose answer was lost repeats the call.
    assert.deepEqual(await leave(app.admin, ben, null), statement);
    const events = await db.read
      .selectFrom('events')
      .select(['action', 'facts'])
      .where('action', 'in', ['user.left', 'statement.made'])
      .orderBy('seq', 'desc')
      .limit(2)
      .execute();
    assert.deepEqual(events.map(({ action }) => action).sort(), ['statement.made', 'user.left']);
    const { body } = await app.admin.expect(200, 'getStatement', { params: { id: statement.id } });
    assert.deepEqual((body as { statement: Leave }).statement, statement);
  });

  test('hands over to a colleague, and refuses other choices while it runs', async () => {
    const cleo = await newPerson(app, 'cleo');
    const files = [await share(cleo, { bytes: 10 }), await share(cleo, { bytes: 20 })];
    await startLeavingAndStop(app, cleo, newOwner, { at: 3, isCommitted: false });
    await cleo.expect(401, 'getAccount');
    await app.admin.refused(409, 'leave.running', 'leaveUser', {
      params: { id: idOf(cleo) },
      body: { leave: { hand_over_to: null, reason: 'Other' } },
    });
    const { findings } = await leave(app.admin, cleo, newOwner);
    assert.deepEqual([findings.handed_over.links, findings.handed_over.bytes, findings.stopped.links], [2, 30, 0]);
    for (const { linkId } of files) await newOwner.expect(200, 'getFileLink', { params: { id: linkId } });
  });

  test('creates one statement from two concurrent calls', async () => {
    const dan = await newPerson(app, 'dan');
    for (let link = 0; link < 5; link++) await share(dan, { bytes: 5 });
    const both = await Promise.all([leave(app.admin, dan, null), leave(app.admin, dan, null)]);
    assert.deepEqual(both[0], both[1]);
    assert.deepEqual([both[0]!.findings.stopped.links, both[0]!.findings.stopped.bytes], [5, 25]);
  });
});

/** Begins, then stops as a process does that crashes at its nth transaction: before the commit or just after it. */
async function startLeavingAndStop(
  { app }: TestApp,
  who: ApiClient,
  to: ApiClient | null,
  { at, isCommitted }: { at: number; isCommitted: boolean },
): Promise<boolean> {
  const { ctx } = app;
  let writes = 0;
  const write: typeof ctx.db.write = async (work) => {
    const isLast = ++writes === at;
    if (isLast && !isCommitted) throw new Error('the power is gone');
    const result = await ctx.db.write(work);
    if (isLast) throw new Error('the power is gone');
    return result;
  };
  const failing = { ...ctx, db: { ...ctx.db, read: ctx.db.read, write } };
  const root = (await findUser(ctx.db.read, 'root-example-com'))!;
  const caller = callerOf(root, { address: '', agent: '', requestId: '' });
  const input = { handOverTo: to === null ? null : idOf(to), reason: 'Last day' };
  try {
    await startLeaving(failing, caller, idOf(who), input);
    return false;
  } catch (error) {
    assert.match(String(error), /the power is gone/);
    return true;
  }
}

onEachDatabase('an interrupted leave', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let owners = 0;

  async function shareSome(who: ApiClient): Promise<void> {
    await share(who, { bytes: 10 });
    const { id } = await who.upload('plan.txt', 'x'.repeat(50), 'uploadForMessage');
    await sendMessage(who, { recipients: ['zoe@harbour.example'], attachments: [id] });
    const request = { recipient: 'zoe@harbour.example', send_email: false };
    await who.expect(200, 'createFileRequest', { body: { request } });
  }

  async function rowsAbout(who: ApiClient, newOwner: ApiClient) {
    const { read } = app.app.ctx.db;
    const statements = await read.selectFrom('statements').selectAll().where('about_user_id', '=', idOf(who)).execute();
    const ids = statements.map(({ id }) => id);
    const events = await read
      .selectFrom('events')
      .select('action')
      .where('object_id', 'in', ['', ...ids, idOf(who)])
      .where('action', 'in', ['user.left', 'statement.made'])
      .orderBy('seq')
      .execute();
    const mails = await read
      .selectFrom('outbox')
      .select('id')
      .where('recipient', '=', newOwner.email)
      .where('kind', '=', 'security-notice')
      .execute();
    return { statements, events: events.map(({ action }) => action), mails: mails.length };
  }

  for (const isCommitted of [false, true])
    testOnce(
      `continues automatically from every step, ${isCommitted ? 'just after' : 'before'} it was committed`,
      async () => {
        for (let at = 1, isStopped = true; isStopped; at++) {
          const name = `${isCommitted ? 'after' : 'before'}${at}`;
          const [who, newOwner] = [
            await newPerson(app, `${name}-who`),
            await newPerson(app, `${name}-owner${++owners}`),
          ];
          const isHandedOver = at % 2 === 0;
          await shareSome(who);
          const mailsBefore = (await rowsAbout(who, newOwner)).mails;
          isStopped = await startLeavingAndStop(app, who, isHandedOver ? newOwner : null, { at, isCommitted });
          if (isStopped) {
            await app.app.jobs.runOnce('finish-leaving');
            const { statements } = await rowsAbout(who, newOwner);
            const isOver = isCommitted && statements[0]?.state === 'made';
            assert.ok(
              isOver || statements.length === 0 || statements[0]!.state === 'open',
              'a running call is left alone',
            );
          }
          app.clock.advance(120_000);
          await app.app.jobs.runOnce('finish-leaving');
          const { statements, events, mails } = await rowsAbout(who, newOwner);
          if (at === 1 && !isCommitted) {
            assert.deepEqual([statements.length, events.length], [0, 0], 'nothing had begun');
            await who.expect(200, 'getAccount');
            continue;
          }
          assert.deepEqual([statements.length, statements[0]!.state], [1, 'made'], name);
          assert.deepEqual(events, ['user.left', 'statement.made'], name);
          assert.equal(mails - mailsBefore, isHandedOver ? 1 : 0, name);
          const { findings } = await leave(app.admin, who, isHandedOver ? newOwner : null);
          const { messages, links, requests, bytes } = isHandedOver ? findings.handed_over : findings.stopped;
          assert.deepEqual([messages, links, requests, bytes], [1, 1, 1, 60], name);
          assert.equal((await rowsAbout(who, newOwner)).statements.length, 1, 'the repeated call returns the same');
        }
      },
    );

  test('continues after its initiator lost the right, and ends transfers that the new owner can no longer receive', async () => {
    const boss = await newPerson(app, 'boss', { group: 'administrators' });
    const [who, newOwner] = [await newPerson(app, 'mia'), await newPerson(app, 'noa')];
    await shareSome(who);
    await startLeavingAndStop(app, who, newOwner, { at: 3, isCommitted: false });
    const { db } = app.app.ctx;
    await db.write((tx) =>
      tx
        .updateTable('statements')
        .set({ made_by: idOf(boss) })
        .where('state', '=', 'open')
        .execute(),
    );
    await leave(app.admin, boss, null);
    await leave(app.admin, newOwner, null);
    app.clock.advance(120_000);
    await app.app.jobs.runOnce('finish-leaving');
    const [statement] = (await rowsAbout(who, newOwner)).statements;
    const { body } = await app.admin.expect(200, 'getStatement', { params: { id: statement!.id } });
    const { findings, made_by: maker } = (body as { statement: Leave }).statement;
    assert.deepEqual([maker.id, findings.hand_over_to?.id], [idOf(boss), idOf(newOwner)]);
    const counted = ({ messages, links, requests }: Leave['findings']['stopped']) => messages + links + requests;
    assert.deepEqual([counted(findings.handed_over), counted(findings.stopped)], [1, 2]);
  });
});

onOneEngine('what runs while a person leaves', (start) => {
  const app = useApp(start);

  test('is cut: downloads of their files, and uploads of theirs', async () => {
    const eve = await newPerson(app, 'eve');
    const file = await share(eve, { bytes: beyondBuffersBytes });
    const { path } = await clickDownload(app.url, file.linkId);
    const running = await openDownload(app.url, path!);
    const upload = await holdUpload(eve, '/link/attachments/upload?filename=a.bin', { lengthBytes: 1_000_000 });
    await upload.send(Buffer.alloc(1000));
    await leave(app.admin, eve, null);
    await assert.rejects(upload.answered);
    const line = await until(async () => {
      const rows = app.app.ctx.db.read.selectFrom('downloads').select(['outcome', 'sent_bytes']);
      const row = await rows.where('owner_id', '=', idOf(eve)).executeTakeFirst();
      return row?.outcome !== 'granted' && row;
    });
    assert.equal(line.outcome, 'cut');
    assert.ok(!(await running.rest()).isWhole);
  });
});

onOneEngine('the event stream of a person who leaves', (start) => {
  const app = useApp(start);

  test('ends at the next poll for events, long before the next heartbeat', async (t) => {
    const lea = await newPerson(app, 'lea');
    // Heartbeats would end the stream too, so they never come.
    t.mock.timers.enable({ apis: ['setInterval'] });
    const following = await follow(lea);
    assert.equal(following.status, 200);
    await leave(app.admin, lea, null);
    await following.ended;
  });
});

onOneEngine('a statement about exposure', (start) => {
  const app = useApp(start);
  const span = { from: '2026-11-01', to: '2026-12-31' };
  const ask = async (exposure: Record<string, unknown>): Promise<Exposure> => {
    const { body } = await app.admin.expect(200, 'stateExposure', { body: { exposure: { ...span, ...exposure } } });
    return (body as { statement: Exposure }).statement;
  };

  test('is refused without a subject, with two, with an invalid span, and about people out of reach', async () => {
    const refuse = (code: string, exposure: Record<string, unknown>) =>
      app.admin.refused(422, code, 'stateExposure', { body: { exposure: { ...span, ...exposure } } });
    await refuse('exposure.no_subject', {});
    await refuse('exposure.no_subject', { user: 'a', ip: '::1' });
    await refuse('exposure.bad_span', { user: 'root@example.com', from: 'yesterday' });
    await refuse('exposure.empty_span', { user: 'root@example.com', from: '2027-01-01' });
    await refuse('exposure.bad_ip', { ip: 'here' });
    const boss = await newPerson(app, 'boss', { group: 'administrators' });
    const about = (exposure: Record<string, unknown>) => ({ body: { exposure: { ...span, ...exposure } } });
    await boss.refused(404, 'user.not_found', 'stateExposure', about({ user: 'root@example.com' }));
    await boss.refused(404, 'user.not_found', 'stateExposure', about({ address: 'root@example.com' }));
    await boss.refused(403, 'admin.not_permitted', 'stateExposure', about({ ip: '127.0.0.1' }));
    await boss.refused(404, 'api_key.not_found', 'stateExposure', about({ api_key: app.admin.key }));
  });

  test('is about the one subject that is named; an empty field names none', async () => {
    const named = { user: '', api_key: ' ', address: 'root@example.com', ip: '' };
    assert.deepEqual((await ask(named)).about, { address: 'root@example.com' });
    assert.deepEqual((await ask({ ...named, address: '', ip: '192.0.2.7' })).about, { ip: '192.0.2.7' });
  });

  test('can be created about a key that ended because the role of its owner was raised', async () => {
    const kim = await newPerson(app, 'kim');
    const { id } = await app.app.ctx.db.read
      .selectFrom('api_keys')
      .select('id')
      .where('user_id', '=', idOf(kim))
      .executeTakeFirstOrThrow();
    await app.admin.expect(200, 'changeUser', {
      params: { id: idOf(kim) },
      body: { user: { group: 'administrators' } },
    });
    await kim.expect(401, 'getAccount');
    const { findings, about } = await ask({ api_key: id });
    assert.equal(findings.closed.api_key, 'ended');
    assert.ok(JSON.stringify(about).includes(kim.email));
  });

  test('lists what a person, an address, a key and a network opened and downloaded, to the byte', async () => {
    const [fay, gus] = [await newPerson(app, 'fay'), await newPerson(app, 'gus')];
    const attachment = await fay.upload('big.bin', 'y'.repeat(5000), 'uploadForMessage');
    const sent = await sendMessage(fay, { recipients: [gus.email], attachments: [attachment.id] });
    const { body } = await gus.expect(200, 'getMessage', { params: { id: sent.id } });
    const { url } = (body as { message: { attachments: { url: string }[] } }).message.attachments[0]!;
    const range = await fetch(url, { headers: { authorization: `Bearer ${gus.key}`, range: 'bytes=100-299' } });
    assert.equal((await range.arrayBuffer()).byteLength, 200);
    await until(async () => {
      const rows = await app.app.ctx.db.read.selectFrom('downloads').select('finished_at').execute();
      return rows.length === 1 && rows.every(({ finished_at }) => finished_at !== null);
    });
    for (const subject of [{ user: fay.email }, { user: idOf(gus) }, { address: gus.email }, { ip: '127.0.0.1' }]) {
      const { findings } = await ask(subject);
      const { transfers, files, bytes } = findings.reachable;
      assert.deepEqual({ transfers, files, bytes }, { transfers: 1, files: 1, bytes: 5000 }, JSON.stringify(subject));
      assert.deepEqual([findings.left.downloads, findings.left.files, findings.left.bytes], [1, 1, 200]);
      assert.equal(findings.left.to[0]!.address, gus.email);
      assert.deepEqual([findings.closed.open, findings.closed.transfers], [1, 0]);
    }
    const byKey = await ask({ api_key: gus.key });
    assert.deepEqual([byKey.findings.left.bytes, byKey.findings.closed.api_key], [200, 'active']);
    assert.equal((await ask({ api_key: fay.key })).findings.left.downloads, 0);
    await leave(app.admin, gus, null);
    app.clock.advance(1000);
    await fay.expect(200, 'deleteMessageAttachments', { params: { id: sent.id } });
    const after = (await ask({ user: fay.email })).findings.closed;
    assert.deepEqual([after.open, after.transfers], [0, 1]);
    const list = await app.admin.expect(200, 'listStatements', {});
    const idsFor = async (who: ApiClient): Promise<string[]> => {
      const reply = await who.expect(200, 'listStatements', {});
      return (reply.body as { statements: { id: string }[] }).statements.map(({ id }) => id);
    };
    const [aboutRoot, aboutNetwork] = [await ask({ user: 'root@example.com' }), await ask({ ip: '127.0.0.1' })];
    const deputy = await newPerson(app, 'deputy', { group: 'administrators' });
    const shown = await idsFor(deputy);
    assert.ok(shown.includes(byKey.id));
    for (const { id } of [aboutRoot, aboutNetwork]) {
      assert.ok(!shown.includes(id));
      await deputy.refused(404, 'statement.not_found', 'getStatement', { params: { id } });
    }
    await app.group('Auditors', { role: 'auditor' });
    assert.ok((await idsFor(await newPerson(app, 'watch', { group: 'auditors' }))).includes(aboutRoot.id));
    assert.ok((list.body as { statements: unknown[] }).statements.length >= 8);
  });
});
