import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { z } from 'zod';
import { taskAnswer } from '#contract/admin/tasks.ts';
import {
  bulkTransfersAnswer,
  outsideAnswer,
  transferAnswer,
  transferSubjectAnswer,
  transfersAnswer,
} from '#contract/admin/transfers.ts';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { filedropAnswer } from '#contract/filedrops.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { attachmentRow, chargeOf } from '#test/kit/inside.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { sendMessage, tracesOf } from '#test/kit/messages.ts';
import { idsOf, referenceOf } from '#test/kit/references.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';
import { wireForm } from '../kit/wire-form.ts';

const ben = 'ben@harbour.example';
const cleo = 'cleo@harbour.example';
const dan = 'dan@quay.example';
const dayMs = 86_400_000;
const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);

onEachDatabase('transfers of all users', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  let bob: ApiClient;
  let boss: ApiClient;
  let group: string;
  const made = {} as Record<'message' | 'link' | 'request' | 'drop' | 'roots' | 'bobs', string>;

  before(async () => {
    group = await app.group('Sales', { filedrop_confirm_sender: false });
    alice = await newPerson(app, 'alice', { group });
    bob = await newPerson(app, 'bob');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    made.message = await send(alice, { recipients: [ben, cleo], bcc: [dan], subject: 'The secret plan' });
    app.clock.advance(1000);
    made.link = (await share(alice, { name: 'secret name.txt', bytes: 'four' })).linkId;
    app.clock.advance(1000);
    made.request = await ask(alice, cleo);
    app.clock.advance(1000);
    made.drop = await handIn(alice);
    app.clock.advance(1000);
    made.bobs = await send(bob, { recipients: [dan] });
    app.clock.advance(1000);
    made.roots = await send(app.admin, { recipients: [ben] });
  });

  async function send(from: ApiClient, message: Record<string, unknown>): Promise<string> {
    const file = await from.upload('a.txt', 'hello', 'uploadForMessage');
    return (await sendMessage(from, { subject: 'Hi', send_email: false, attachments: [file.id], ...message })).id;
  }

  async function ask(from: ApiClient, recipient: string): Promise<string> {
    const request = { recipient, subject: 'Drawings', message: '', send_email: false };
    return wireForm(fileRequestAnswer, (await from.expect(200, 'createFileRequest', { body: { request } })).body)
      .request.id;
  }

  async function handIn(to: ApiClient): Promise<string> {
    const { filedrop_url: url } = ((await to.expect(200, 'getAccount')).body as { user: { filedrop_url: string } })
      .user;
    const params = { name: url.slice(`${app.url}/filedrop/`.length) };
    const key = wireForm(filedropAnswer, (await app.anonymous.expect(200, 'getFiledrop', { params })).body).filedrop
      .api_key;
    const visitor = new ApiClient(app.url, key, '');
    const upload = await visitor.expect(200, 'uploadForFiledrop', {
      params,
      query: { filename: 'in.txt' },
      bytes: 'in',
    });
    const { id } = wireForm(attachmentAnswer, upload.body).attachment;
    const message = { from: 'sam@elsewhere.example', subject: 'Dropped', message: '', attachments: [id] };
    await visitor.expect(200, 'submitFiledrop', { params, body: { message } });
    const found = await app.app.ctx.db.read
      .selectFrom('messages')
      .select('id')
      .where('owner_id', '=', idOf(to))
      .where('origin', '=', 'filedrop')
      .executeTakeFirstOrThrow();
    return found.id;
  }

  const list = async (query: Record<string, string> = {}, who = app.admin) =>
    wireForm(transfersAnswer, (await who.expect(200, 'listTransfers', { query })).body);
  const ids = async (query: Record<string, string> = {}, who = app.admin) =>
    idsOf(
      app,
      (await list(query, who)).transfers.map(({ reference }) => reference),
    );
  const named = (id: string) => referenceOf(app, id);
  const one = async (id: string) =>
    wireForm(transferAnswer, (await app.admin.expect(200, 'getTransfer', { params: await named(id) })).body).transfer;
  const lastEvent = async (action: string) => {
    const row = await app.app.ctx.db.read
      .selectFrom('events')
      .selectAll()
      .where('action', '=', action as never)
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow();
    const { reference, ...facts } = JSON.parse(row.facts) as Record<string, unknown>;
    if (['message', 'link', 'request'].includes(row.object_kind))
      assert.deepEqual({ reference }, await referenceOf(app, row.object_id));
    return { actor: row.actor_id, object: row.object_id, owner: row.owner_id, facts };
  };
  const post = async () => {
    const before = mailbox.transport.sent.length;
    await app.app.jobs.runOnce('send-outbox');
    return mailbox.transport.sent.slice(before).map(({ mail }) => mail);
  };

  test('are for administrators, and an invalid filter is refused', async () => {
    const calls: [Parameters<ApiClient['refused']>[2], Record<string, unknown>][] = [
      ['listTransfers', {}],
      ['listOutside', {}],
      ['getTransfer', { params: await named(made.message) }],
      ['stopTransfer', { params: await named(made.message), body: {} }],
      ['extendTransfer', { params: await named(made.message), body: { expires_at: '2027-01-01' } }],
      ['handOverTransfer', { params: await named(made.message), body: { to: bob.email } }],
      ['readTransferSubject', { params: await named(made.message), body: { reason: 'needed for a search' } }],
      ['bulkTransfers', { body: { bulk: { action: 'stop', filter: { person: alice.email }, dry_run: true } } }],
      ['listTasks', {}],
    ];
    for (const [name, options] of calls) {
      await app.anonymous.refused(401, 'credentials.invalid', name, options);
      await alice.refused(403, 'admin.not_permitted', name, options);
    }
    const bad: [number, string, Record<string, string>][] = [
      [422, 'request.invalid', { state: 'lost' }],
      [422, 'request.invalid', { older_than: 'x' }],
      [422, 'list.bad_place', { after: 'x' }],
      [422, 'transfer.bad_domain', { domain: 'a b' }],
      [422, 'user.bad_email', { recipient: 'no-address' }],
      [404, 'user.not_found', { person: 'unknown@example.com' }],
    ];
    for (const [status, code, query] of bad) await app.admin.refused(status, code, 'listTransfers', { query });
  });

  test('come newest first, page by page, each once', async () => {
    const all = [made.roots, made.bobs, made.drop, made.request, made.link, made.message];
    assert.deepEqual(await ids(), all);
    const paged: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page: z.input<typeof transfersAnswer> = await list({ size: '2', ...(after === '' ? {} : { after }) });
      assert.ok(page.transfers.length <= 2);
      paged.push(
        ...(await idsOf(
          app,
          page.transfers.map(({ reference }) => reference),
        )),
      );
      after = page.next;
    }
    assert.deepEqual(paged, all);
  });

  testOnce('show sender, recipients, size and expiry, and no content', async () => {
    const { transfers } = await list({ person: alice.email });
    const find = async (id: string) => {
      const { reference } = await named(id);
      return transfers.find((transfer) => transfer.reference === reference)!;
    };
    const message = await find(made.message);
    assert.deepEqual(
      [message.kind, message.state, message.owner.email, message.owner.group_name, message.sender, message.files],
      ['message', 'open', alice.email, 'Sales', null, 1],
    );
    assert.deepEqual([message.recipients, message.recipient_count, message.size], [[ben, cleo], 3, 5]);
    const drop = await find(made.drop);
    assert.deepEqual([drop.kind, drop.sender, drop.recipients], ['drop', 'sam@elsewhere.example', [alice.email]]);
    assert.deepEqual((await find(made.request)).recipients, [cleo]);
    const { text } = await app.admin.expect(200, 'listTransfers', { query: { person: alice.email } });
    for (const secret of ['The secret plan', 'secret name', 'Dropped', dan]) assert.ok(!text.includes(secret), secret);
  });

  test('are filtered by person, group, recipient, domain, state, kind, age and any id in a mail', async () => {
    const { message, link, request, drop, bobs, roots } = made;
    const expected: [Record<string, string>, string[]][] = [
      [{ person: idOf(bob) }, [bobs]],
      [{ group }, [drop, request, link, message]],
      [{ group: 'no-such-group' }, []],
      [{ recipient: 'Cleo@harbour.example' }, [request, message]],
      [{ domain: 'harbour.example' }, [roots, request, message]],
      [{ domain: '@Quay.example', group }, [message]],
      [{ kind: 'drop' }, [drop]],
      [{ kind: 'link' }, [link]],
      [{ state: 'open', kind: 'request' }, [request]],
      [{ state: 'stopped' }, []],
      [{ state: 'answered' }, []],
      [{ newer_than: '1', person: bob.email }, [bobs]],
      [{ older_than: '1' }, []],
      [{ id: `${app.url}/message/${message}` }, [message]],
      [{ id: request }, [request]],
      [{ id: 'nothing' }, []],
    ];
    for (const [query, found] of expected) assert.deepEqual(await ids(query), found, JSON.stringify(query));
    const mail = await app.app.ctx.db.read
      .selectFrom('outbox')
      .select('id')
      .where('message_id', '=', drop)
      .executeTakeFirstOrThrow();
    assert.deepEqual(await ids({ id: `<${mail.id}@example.com>` }), [drop]);
  });

  test("of people at or above the caller's role are left out", async () => {
    assert.ok(!(await ids({}, boss)).includes(made.roots));
    assert.ok((await ids({}, boss)).includes(made.message));
    assert.deepEqual(await ids({ id: made.roots }, boss), []);
    await boss.refused(404, 'user.not_found', 'listTransfers', { query: { person: app.admin.email } });
    const untouched = await tracesOf(app);
    const params = await named(made.roots);
    await boss.refused(404, 'transfer.not_found', 'getTransfer', { params });
    await boss.refused(404, 'transfer.not_found', 'stopTransfer', { params, body: {} });
    await boss.refused(404, 'transfer.not_found', 'extendTransfer', { params, body: { expires_at: '2027-01-01' } });
    await boss.refused(404, 'transfer.not_found', 'handOverTransfer', { params, body: { to: bob.email } });
    const bulk = { action: 'stop', filter: { domain: 'harbour.example' }, dry_run: true };
    const plan = wireForm(bulkTransfersAnswer, (await boss.expect(200, 'bulkTransfers', { body: { bulk } })).body).bulk;
    const { reference: hidden } = await named(made.roots);
    assert.ok(!plan.sample.some(({ reference }) => reference === hidden));
    assert.deepEqual(await tracesOf(app), untouched);
    const own = await send(boss, { recipients: [ben] });
    assert.deepEqual(await ids({ person: boss.email }, boss), [own]);
    await boss.expect(200, 'stopTransfer', { params: await named(own), body: {} });
  });

  testOnce('are read by auditors, of all users, and changed by none of them', async () => {
    const auditors = await app.group('Auditors', { role: 'auditor' });
    const auditor = await newPerson(app, 'auditor', { group: auditors });
    assert.ok((await ids({}, auditor)).includes(made.roots));
    assert.deepEqual(await ids({ person: app.admin.email }, auditor), [made.roots]);
    const params = await named(made.message);
    await auditor.expect(200, 'getTransfer', { params });
    await auditor.expect(200, 'listOutside');
    await auditor.refused(403, 'admin.not_permitted', 'stopTransfer', { params, body: {} });
    await auditor.refused(403, 'admin.not_permitted', 'extendTransfer', { params, body: { expires_at: '2027-01-01' } });
    await auditor.refused(403, 'admin.not_permitted', 'handOverTransfer', { params, body: { to: bob.email } });
    await auditor.refused(403, 'admin.not_permitted', 'readTransferSubject', { params, body: { reason: 'audit' } });
    const bulk = { action: 'stop', filter: { person: alice.email }, dry_run: true };
    await auditor.refused(403, 'admin.not_permitted', 'bulkTransfers', { body: { bulk } });
  });

  testOnce('show their subject to System Administrators with a reason, which the log records', async () => {
    const params = await named(made.message);
    await boss.refused(403, 'admin.not_permitted', 'readTransferSubject', { params, body: { reason: 'curious' } });
    await app.admin.refused(422, 'transfer.no_reason', 'readTransferSubject', { params, body: { reason: ' ' } });
    const reason = 'Report of a wrong recipient, ticket 4711';
    const { body } = await app.admin.expect(200, 'readTransferSubject', { params, body: { reason } });
    assert.deepEqual(wireForm(transferSubjectAnswer, body), { subject: 'The secret plan' });
    const event = await lastEvent('transfer.subject_read');
    assert.deepEqual(event, { actor: idOf(app.admin), object: made.message, owner: '', facts: { reason } });
    const link = await app.admin.expect(200, 'readTransferSubject', {
      params: await named(made.link),
      body: { reason },
    });
    assert.deepEqual(link.body, { subject: 'secret name.txt' });
    await app.admin.expect(200, 'readTransferSubject', { params: await named(made.request), body: { reason } });
    const events = app.app.ctx.db.read.selectFrom('events').where('action', '=', 'transfer.subject_read');
    assert.deepEqual(
      await events.select(['object_kind as kind', 'object_id as id']).orderBy('seq').execute(),
      (['message', 'link', 'request'] as const).map((kind) => ({ kind, id: made[kind] })),
    );
  });

  test('are extended within what the group of their owner permits, with old and new day in the log', async () => {
    const extend = async (id: string, expires_at: string) => ({
      params: await named(id),
      body: { expires_at, reason: 'Holiday' },
    });
    const before = await one(made.message);
    for (const kind of ['message', 'link', 'request'] as const)
      await boss.refused(422, `${kind}.bad_date`, 'extendTransfer', await extend(made[kind], 'soon'));
    await boss.refused(422, 'transfer.bad_date', 'extendTransfer', await extend(made.message, ''));
    await boss.refused(422, 'transfer.not_later', 'extendTransfer', await extend(made.message, before.expires_at));
    await boss.refused(422, 'transfer.expiry_too_late', 'extendTransfer', await extend(made.message, '2036-01-01'));
    for (const id of [made.message, made.link, made.request]) {
      const from = (await one(id)).expires_at;
      const to = dateOf(Date.parse(from) + dayMs);
      const { body } = await boss.expect(200, 'extendTransfer', await extend(id, to));
      assert.equal(wireForm(transferAnswer, body).transfer.expires_at, to);
      const event = await lastEvent(
        id === made.message ? 'message.extended' : id === made.link ? 'link.changed' : 'request.extended',
      );
      assert.deepEqual(
        [event.actor, event.owner, event.facts.from, event.facts.reason],
        [idOf(boss), idOf(alice), from, 'Holiday'],
      );
      assert.equal(event.facts.to ?? event.facts.expires, to);
    }
  });

  test('can be opened again with their file after they expired, but not once answered, or without their owner', async () => {
    const zoe = await newPerson(app, 'zoe');
    const { linkId: id, attachmentId } = await share(zoe);
    const request = await ask(zoe, ben);
    const later = { expires_at: dateOf(app.clock.now() + 2 * dayMs) };
    const past = { expires_on: '2026-01-01', expires_at: app.clock.now() - 1 };
    const { write } = app.app.ctx.db;
    await write(async (tx) => {
      await tx.updateTable('file_links').set(past).where('id', '=', id).execute();
      await tx.updateTable('file_requests').set({ state: 'used' }).where('id', '=', request).execute();
    });
    await app.app.jobs.runOnce('expire');
    assert.equal((await attachmentRow(app, attachmentId)).reference_count, 0);
    await boss.refused(422, 'transfer.answered', 'extendTransfer', { params: await named(request), body: later });
    const { body } = await boss.expect(200, 'extendTransfer', { params: await named(id), body: later });
    assert.equal(wireForm(transferAnswer, body).transfer.state, 'open');
    assert.equal((await attachmentRow(app, attachmentId)).reference_count, 1);
    assert.equal((await new Visitor(app.url).get(`/link/${id}`)).status, 200);
    // The state between the two transactions that delete an account.
    await write(async (tx) => {
      await tx.updateTable('users').set({ state: 'deleted' }).where('id', '=', idOf(zoe)).execute();
    });
    const muchLater = { expires_at: dateOf(app.clock.now() + 5 * dayMs) };
    await boss.refused(422, 'transfer.owner_gone', 'extendTransfer', { params: await named(id), body: muchLater });
  });

  test('end for every recipient when stopped, and stay in the list as stopped', async () => {
    const message = await send(alice, { recipients: [ben] });
    const { linkId: link, attachmentId } = await share(alice);
    const request = await ask(alice, ben);
    for (const [id, action] of [
      [message, 'message.revoked'],
      [link, 'link.deleted'],
      [request, 'request.closed'],
    ] as const) {
      const { body } = await boss.expect(200, 'stopTransfer', {
        params: await named(id),
        body: { reason: 'Wrong customer' },
      });
      assert.equal(wireForm(transferAnswer, body).transfer.state, 'stopped');
      const facts = { from: 'open', to: 'stopped', reason: 'Wrong customer' };
      assert.deepEqual(await lastEvent(action), { actor: idOf(boss), object: id, owner: idOf(alice), facts });
      await boss.refused(422, 'transfer.stopped', 'stopTransfer', { params: await named(id), body: {} });
      await boss.refused(422, 'transfer.stopped', 'extendTransfer', {
        params: await named(id),
        body: { expires_at: '2027-03-01' },
      });
      await boss.refused(422, 'transfer.stopped', 'handOverTransfer', {
        params: await named(id),
        body: { to: bob.email },
      });
    }
    assert.equal((await new Visitor(app.url).get(`/link/${link}`)).status, 410);
    // The file is deleted only after the grace time, so that a mistake can be undone.
    assert.equal((await attachmentRow(app, attachmentId)).state, 'ready');
    assert.deepEqual((await ids({ state: 'stopped', person: alice.email })).sort(), [message, link, request].sort());
  });

  testOnce('are handed over with their files and their storage, and both people get a mail', async () => {
    const params = await named(made.message);
    const give = (to: string) => ({ params, body: { to, reason: 'Alice is on leave' } });
    const outsider = await newPerson(app, 'outsider', { group: 'external-users' });
    const off = await newPerson(app, 'off', { disabled: true });
    await boss.refused(422, 'transfer.no_heir', 'handOverTransfer', give(''));
    await boss.refused(404, 'user.not_found', 'handOverTransfer', give('unknown@example.com'));
    await boss.refused(404, 'user.not_found', 'handOverTransfer', give(app.admin.email));
    await boss.refused(422, 'transfer.same_person', 'handOverTransfer', give(alice.email));
    await boss.refused(422, 'transfer.heir_outside', 'handOverTransfer', give(outsider.email));
    await boss.refused(422, 'transfer.heir_off', 'handOverTransfer', give(off.email));
    await post();
    const [fromBefore, toBefore] = [await chargeOf(app, alice.email), await chargeOf(app, bob.email)];
    const { body } = await boss.expect(200, 'handOverTransfer', give(bob.email));
    assert.equal(wireForm(transferAnswer, body).transfer.owner.email, bob.email);
    assert.equal((await chargeOf(app, alice.email)).storedBytes, fromBefore.storedBytes - 5);
    assert.equal((await chargeOf(app, bob.email)).storedBytes, toBefore.storedBytes + 5);
    const facts = { from: idOf(alice), to: idOf(bob), reason: 'Alice is on leave' };
    assert.deepEqual((await lastEvent('transfer.handed_over')).facts, facts);
    assert.equal((await lastEvent('transfer.taken_over')).owner, idOf(bob));
    const mails = await post();
    assert.deepEqual(mails.map(({ to }) => to).sort(), [alice.email, bob.email]);
    assert.ok(mails.every(({ text }) => text.includes('Alice is on leave') && !text.includes('secret plan')));
    await alice.refused(404, 'message.not_found', 'deleteMessageAttachments', { params: { id: made.message } });
    await bob.expect(200, 'getMessage', { params: { id: made.message } });
  });

  test('that were handed in are opened by their new owner, and no longer by the old one', async () => {
    const params = await named(made.drop);
    await alice.expect(200, 'getMessage', { params: { id: made.drop } });
    await boss.expect(200, 'handOverTransfer', { params, body: { to: bob.email } });
    await bob.expect(200, 'getMessage', { params: { id: made.drop } });
    await alice.refused(404, 'message.not_found', 'getMessage', { params: { id: made.drop } });
    assert.deepEqual((await one(made.drop)).recipients, [bob.email]);
  });

  testOnce('keep a file that both old and new owner share, also when the old one is deleted', async () => {
    const leaver = await newPerson(app, 'leaver');
    const file = await leaver.upload('both.txt', 'both', 'uploadForMessage');
    const kept = (
      await sendMessage(leaver, { recipients: [ben], subject: '', attachments: [file.id], send_email: false })
    ).id;
    await sendMessage(leaver, { recipients: [cleo], subject: '', attachments: [file.id], send_email: false });
    await boss.expect(200, 'handOverTransfer', { params: await named(kept), body: { to: bob.email } });
    assert.equal((await attachmentRow(app, file.id)).owner_id, idOf(leaver));
    await boss.expect(200, 'deleteUser', { params: { id: idOf(leaver) } });
    const row = await attachmentRow(app, file.id);
    assert.deepEqual([row.owner_id, row.state], [idOf(bob), 'ready']);
    assert.equal((await one(kept)).state, 'open');
  });

  test('are counted by the domain of outside people who can open them now', async () => {
    const outside = async (who = app.admin) =>
      wireForm(outsideAnswer, (await who.expect(200, 'listOutside')).body).outside;
    const harbour = (await outside()).find(({ domain }) => domain === 'harbour.example')!;
    const open = await list({ domain: 'harbour.example', state: 'open' });
    const requests = open.transfers.filter(({ kind }) => kind === 'request').length;
    assert.deepEqual([harbour.requests, harbour.messages], [requests, open.transfers.length - requests]);
    assert.equal(harbour.people, 2);
    const lastDay = open.transfers.map(({ expires_at }) => expires_at).reduce((last, day) => (day > last ? day : last));
    assert.equal(harbour.last_expires_at, lastDay);
    assert.ok((await outside()).every(({ domain }) => domain !== 'example.com'));
    const seen = (await outside(boss)).find(({ domain }) => domain === 'harbour.example')!;
    assert.equal(seen.messages, harbour.messages - 1);
  });

  test('are stopped together if they were selected, but not those that the caller cannot see', async () => {
    const vera = await newPerson(app, 'vera');
    const sent = [await send(vera, { recipients: [dan] }), await send(vera, { recipients: [dan] })];
    await send(vera, { recipients: [dan] });
    const own = await send(app.admin, { recipients: [dan] });
    const references = await Promise.all([...sent, own].map(async (id) => (await referenceOf(app, id)).reference));
    const bulk = (filter: Record<string, unknown>) => ({ body: { bulk: { action: 'stop', filter } } });
    await boss.refused(422, 'transfer.bulk_everything', 'bulkTransfers', bulk({ references: [] }));
    const { bulk: started } = wireForm(
      bulkTransfersAnswer,
      (await boss.expect(200, 'bulkTransfers', bulk({ references: [...references, 'nonsense'] }))).body,
    );
    assert.equal(started.task!.total, 2);
    await app.app.jobs.runOnce('run-tasks');
    assert.equal((await ids({ person: vera.email, state: 'open' })).length, 1);
  });

  test('are stopped by the hundred after a dry run that lists them, in a task that shows its progress', async () => {
    const carol = await newPerson(app, 'carol');
    const sent: string[] = [];
    for (let index = 0; index < 3; index++) sent.push(await send(carol, { recipients: [dan] }));
    const bulk = (more: Record<string, unknown>) => ({
      body: { bulk: { action: 'stop', filter: { person: carol.email }, reason: 'LeavingUser', ...more } },
    });
    await boss.refused(422, 'transfer.bulk_everything', 'bulkTransfers', bulk({ filter: { kind: 'link' } }));
    await boss.refused(422, 'transfer.bad_date', 'bulkTransfers', bulk({ action: 'extend' }));
    await boss.refused(422, 'transfer.no_heir', 'bulkTransfers', bulk({ action: 'hand_over' }));
    const untouched = await tracesOf(app);
    const plan = wireForm(
      bulkTransfersAnswer,
      (await boss.expect(200, 'bulkTransfers', bulk({ dry_run: true }))).body,
    ).bulk;
    assert.deepEqual([plan.dry_run, plan.count, plan.by_kind, plan.task], [true, 3, { message: 3 }, null]);
    const planned = await idsOf(
      app,
      plan.sample.map(({ reference }) => reference),
    );
    assert.deepEqual(planned.sort(), sent.toSorted());
    assert.deepEqual(await tracesOf(app), untouched);
    const started = wireForm(bulkTransfersAnswer, (await boss.expect(200, 'bulkTransfers', bulk({}))).body).bulk;
    const id = started.task!.id;
    const task = async (who = boss) =>
      wireForm(taskAnswer, (await who.expect(200, 'getTask', { params: { id } })).body).task;
    assert.deepEqual([(await task()).state, (await task()).total], ['waiting', 3]);
    await app.app.jobs.runOnce('run-tasks');
    assert.deepEqual([(await task(app.admin)).state, (await task()).done, (await task()).failed], ['done', 3, 0]);
    assert.deepEqual(await ids({ person: carol.email, state: 'open' }), []);
    assert.deepEqual((await lastEvent('message.revoked')).facts, {
      from: 'open',
      to: 'stopped',
      reason: 'LeavingUser',
    });
    await boss.refused(422, 'task.ended', 'stopTask', { params: { id } });
  });

  test('stay unchanged by a task that was stopped before it began, or whose starter has lost the right', async () => {
    const erin = await newPerson(app, 'erin');
    await send(erin, { recipients: [dan] });
    const helper = await newPerson(app, 'helper', { group: 'administrators' });
    const body = { bulk: { action: 'stop', filter: { person: erin.email } } };
    const begin = async (who: ApiClient) =>
      wireForm(bulkTransfersAnswer, (await who.expect(200, 'bulkTransfers', { body })).body).bulk.task!.id;
    const stopped = await begin(boss);
    await helper.refused(404, 'task.not_found', 'getTask', { params: { id: stopped } });
    await boss.expect(200, 'stopTask', { params: { id: stopped } });
    const orphaned = await begin(helper);
    await app.admin.expect(200, 'changeUser', {
      params: { id: idOf(helper) },
      body: { user: { group: 'local-users' } },
    });
    await app.app.jobs.runOnce('run-tasks');
    const state = async (id: string) =>
      wireForm(taskAnswer, (await app.admin.expect(200, 'getTask', { params: { id } })).body).task.state;
    assert.deepEqual([await state(stopped), await state(orphaned)], ['stopped', 'failed']);
    assert.equal((await ids({ person: erin.email, state: 'open' })).length, 1);
  });

  testOnce('of one person go to another with one mail to each', async () => {
    const gina = await newPerson(app, 'gina');
    const hugo = await newPerson(app, 'hugo');
    for (let index = 0; index < 3; index++) await send(gina, { recipients: [dan] });
    await post();
    const body = { bulk: { action: 'hand_over', filter: { person: gina.email }, to: hugo.email } };
    await boss.expect(200, 'bulkTransfers', { body });
    await app.app.jobs.runOnce('run-tasks');
    assert.equal((await ids({ person: hugo.email })).length, 3);
    const mails = await post();
    assert.deepEqual(mails.map(({ to }) => to).sort(), [gina.email, hugo.email]);
    assert.ok(mails.every(({ text }) => text.includes('3 transfers')));
  });
});
