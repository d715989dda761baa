import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { transfersAnswer } from '#contract/admin/transfers.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { appendEvent, type NewEvent } from '#server/db/events/events.ts';
import { findStatement, insertStatement } from '#server/db/statements/statements.ts';
import { insertReference } from '#server/db/transfers/transfer-references.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const hourMs = 3_600_000;

onEachDatabase('references of transfers', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let link: string;
  let message: string;
  before(async () => {
    alice = await newPerson(app, 'alice');
    link = (await share(alice)).linkId;
    message = (await sendMessage(alice, { recipients: ['ben@harbour.example'], send_email: false })).id;
    const input = { recipient: 'sam@elsewhere.example', subject: 'Drawings', message: '', send_email: false };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request: input } });
    const { id } = wireForm(fileRequestAnswer, body).request;
    await new Browser(app.url).sendFiles(`/requests/${id}`, {}, [{ name: 'a.txt', bytes: 'a' }]);
  });

  /** Ids of transfers without a reference, and how many have one. */
  async function named(): Promise<{ without: string[]; count: number }> {
    const { read } = app.app.ctx.db;
    const rows = await read.selectFrom('transfer_references').selectAll().execute();
    const known = new Set(rows.map((row) => row.transfer_id));
    const without: string[] = [];
    for (const table of ['messages', 'file_links', 'file_requests'] as const)
      for (const { id } of await read.selectFrom(table).select('id').execute()) if (!known.has(id)) without.push(id);
    return { without, count: rows.length };
  }

  const forget = (...ids: string[]) =>
    app.app.ctx.db.write(async (tx) => {
      for (const id of ids) await tx.deleteFrom('transfer_references').where('transfer_id', '=', id).execute();
    });

  test('exist as soon as a transfer is created', async () => {
    assert.deepEqual((await named()).without, []);
  });

  test('are assigned by a job to transfers of an earlier version, and never changed', async () => {
    const kept = await referenceOf(app, message);
    const { count } = await named();
    await forget(link);
    assert.equal(await app.app.jobs.runOnce('name-transfers'), 'references given to 1 transfer');
    assert.deepEqual(await named(), { without: [], count });
    assert.deepEqual(await referenceOf(app, message), kept);
    assert.equal(await app.app.jobs.runOnce('name-transfers'), 'references given to 0 transfers');
  });

  test('are assigned by the job to transfers of the last hour that got none', async () => {
    app.clock.advance(50 * hourMs);
    await app.app.jobs.runOnce('name-transfers');
    const late = (await share(alice)).linkId;
    await forget(late);
    app.clock.advance(hourMs / 2);
    assert.equal(await app.app.jobs.runOnce('name-transfers'), 'references given to 1 transfer');
  });

  test('are assigned by the first request that reads a transfer', async () => {
    await forget(link, message);
    const list = async () =>
      wireForm(transfersAnswer, (await app.admin.expect(200, 'listTransfers')).body).transfers.map(
        ({ reference }) => reference,
      );
    const first = await list();
    assert.ok(first.every((reference) => /^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{2}$/.test(reference)));
    assert.deepEqual((await named()).without, []);
    assert.deepEqual(await list(), first);
  });

  test('belong to one transfer each', async () => {
    const { reference } = await referenceOf(app, link);
    await app.app.ctx.db.write((tx) => insertReference(tx, { id: 'AAAAAAAAAAAAAAAAAAAAAA', reference }));
    assert.deepEqual(await referenceOf(app, link), { reference });
    const rows = app.app.ctx.db.read.selectFrom('transfer_references').select('transfer_id');
    assert.equal((await rows.where('reference', '=', reference).execute()).length, 1);
  });

  test('are used in events that an earlier version recorded', async () => {
    await forget(message);
    const event: NewEvent = {
      at: app.clock.now(),
      action: 'request.answered',
      actorKind: 'anonymous',
      actorId: '',
      objectKind: 'message',
      objectId: message,
      ownerId: idOf(alice),
      facts: { request: link, note: `see /link/${link}`, files: 1 },
      remoteIp: '',
      requestId: 'old',
    };
    await app.app.ctx.db.write((tx) => appendEvent(tx, event, Buffer.alloc(18)));
    const { body, text } = await app.admin.expect(200, 'listEvents', {
      query: { action: 'request.answered', size: '1' },
    });
    const [found] = (body as { events: { object_id: string; facts: Record<string, unknown> }[] }).events;
    const { reference } = await referenceOf(app, link);
    assert.equal(found!.object_id, (await referenceOf(app, message)).reference);
    assert.deepEqual(found!.facts, { request: reference, note: `see /link/${reference}`, files: 1 });
    assert.ok(!text.includes(link) && !text.includes(message));
  });

  test('are used in statements that an earlier version signed, which are signed again', async () => {
    const { db } = app.app.ctx;
    const exposure = { user: idOf(alice), from: '2026-11-01', to: '2026-12-01' };
    const made = await app.admin.expect(200, 'stateExposure', { body: { exposure } });
    const { id } = (made.body as { statement: { id: string } }).statement;
    const { reference } = await referenceOf(app, link);
    const statement = (await findStatement(db.read, id))!;
    const documentText = statement.documentText.replaceAll(reference, link).replaceAll(id, 'B'.repeat(22));
    assert.ok(documentText.includes(link));
    await db.write((tx) => insertStatement(tx, { ...statement, id: 'B'.repeat(22), documentText, note: 'of then' }));
    const { text } = await app.admin.expect(200, 'getStatement', { params: { id: 'B'.repeat(22) } });
    const shown = documentText.replaceAll(link, reference);
    assert.ok(text.startsWith(`{"statement":${shown},`), text);
    const { note } = JSON.parse(text) as { note: string };
    assert.ok(note.includes(createHash('sha256').update(shown).digest('base64')));
  });
});
