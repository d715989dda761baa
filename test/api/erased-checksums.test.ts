import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { onEachDatabase, onOneEngine, type TestApp } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { checksumForms, tablesWithChecksum, tablesWithText } from '#test/kit/checksum-forms.ts';
import { storeInClear } from '#test/kit/clear-checksums.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { browserProving, fileUrlOf, inlineFile } from '#test/kit/messages.ts';
import { idOf, newPerson, share, uploadChunks } from '#test/kit/shared-files.ts';
import { findTraces } from '#test/kit/traces.ts';
import { useApp } from '#test/kit/use-app.ts';

/** Contents of small files, one for each way of upload. */
const contents = ['4711', '8203', '5519', '9034', '1287', '6650'].map((text) => Buffer.from(text));
const [shared, inChunks, inline, handedIn, dropped, unfinished] = contents as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];
const secretExtensions = ['lisbon77', 'the garden gate'];

async function eraseAndFinish(app: TestApp, person: ApiClient): Promise<void> {
  const erasure = { email: person.email, reason: 'Asked by letter' };
  await app.admin.expect(200, 'erasePerson', { params: { id: idOf(person) }, body: { erasure } });
  app.clock.advance(61_000);
  await app.app.jobs.runOnce('finish-erasures');
  await app.app.jobs.runOnce('seal-events');
}

/** Files by every way of upload, receipts, mails, repeated requests, downloads, statements and an export. */
async function useEverything(app: TestApp, cid: ApiClient, ann: ApiClient): Promise<void> {
  await share(cid, { bytes: shared as Buffer<ArrayBuffer>, name: 'pin.lisbon77' });
  await uploadChunks(
    cid,
    'pin.The Garden Gate',
    [inChunks.subarray(0, 2), inChunks.subarray(2)].map((part) => new Uint8Array(part)),
  );
  const message = { recipients: [ann.email, 'zoe@harbour.example'], subject: 'Pin', message: 'x', permission: 2 };
  const body = {
    message: { ...message, attachments: [inlineFile('pin.lisbon77', inline), inlineFile('x.the garden gate', inline)] },
  };
  const { body: sent } = await cid.expect(200, 'sendMessage', { body, headers: { 'idempotency-key': 'once' } });
  await cid.expect(200, 'sendMessage', { body, headers: { 'idempotency-key': 'once' } });
  const { id } = (sent as { message: { id: string } }).message;
  await (await browserProving(app, 'zoe@harbour.example')).get(`/message/${id}`);
  const authorization = `Basic ${Buffer.from(`${ann.key}:x`).toString('base64')}`;
  assert.equal(
    await (await fetch(new URL(await fileUrlOf(ann, id), app.url), { headers: { authorization } })).text(),
    inline.toString(),
  );
  await handIn(app, cid);
  const open = { filename: 'open.lisbon77', chunks: '2', chunk: '0' };
  await cid.expect(200, 'uploadForLink', { query: open, bytes: new Uint8Array(unfinished) });
  const exposure = { user: idOf(cid), from: '2026-11-01', to: '2026-12-31' };
  await app.admin.expect(200, 'stateExposure', { body: { exposure } });
  await app.admin.expect(200, 'exportPerson', { params: { id: idOf(cid) } });
  for (const job of ['finish-uploads', 'send-outbox', 'seal-events', 'sum-downloads']) await app.app.jobs.runOnce(job);
}

/** An outside person answers a File Request and uses the drop page. */
async function handIn(app: TestApp, cid: ApiClient): Promise<void> {
  const asked = { recipient: 'zoe@harbour.example', subject: 'Please', message: 'x' };
  const { body } = await cid.expect(200, 'createFileRequest', { body: { request: asked } });
  const { id } = (body as { request: { id: string } }).request;
  const file = await app.anonymous.expect(200, 'uploadForRequest', {
    params: { id },
    query: { filename: 'answer.lisbon77' },
    bytes: new Uint8Array(handedIn),
  });
  const { attachment } = file.body as { attachment: { id: string } };
  await new Browser(app.url).send(`/requests/${id}`, [['attachments', attachment.id]]);
  const account = await cid.expect(200, 'getAccount');
  const url = (account.body as { user: { filedrop_url: string } }).user.filedrop_url;
  const name = new URL(url).pathname.split('/').at(-1)!;
  const page = await app.anonymous.expect(200, 'getFiledrop', { params: { name } });
  const { api_key } = (page.body as { filedrop: { api_key: string } }).filedrop;
  await app.anonymous.expect(200, 'uploadForFiledrop', {
    params: { name },
    query: { filename: 'drop.lisbon77' },
    bytes: new Uint8Array(dropped),
    headers: { authorization: `Basic ${Buffer.from(`${api_key}:x`).toString('base64')}` },
  });
}

onEachDatabase('the files of a person who was erased', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  test('have no checksum, name or extension left in any table, and nothing sealed that could be opened', async () => {
    const { db } = app.app.ctx;
    const [cid, ann] = [await newPerson(app, 'cid'), await newPerson(app, 'ann')];
    await useEverything(app, cid, ann);
    for (const content of contents)
      assert.deepEqual(await tablesWithChecksum(db, content), [], 'sealed while it is used');
    assert.deepEqual(await tablesWithText(db, 'the garden gate'), []);
    assert.deepEqual(await tablesWithText(db, 'lisbon77'), ['sends'], 'an extension that can be one');
    const files = await db.read.selectFrom('attachments').select('id').where('owner_id', '=', idOf(cid)).execute();
    const ids = files.map(({ id }) => id);
    assert.ok(ids.length >= 5);
    await eraseAndFinish(app, cid);
    for (const content of contents) assert.deepEqual(await tablesWithChecksum(db, content), []);
    for (const extension of secretExtensions) assert.deepEqual(await tablesWithText(db, extension), []);
    const left = await db.read.selectFrom('attachments').selectAll().where('id', 'in', ids).execute();
    assert.deepEqual(
      left.filter((row) => row.checksums_sealed !== null || row.sha256 !== '' || row.data_key_wrapped !== null),
      [],
    );
    const parts = await db.read.selectFrom('parts').select('upload_id').where('upload_id', 'in', ids).execute();
    assert.deepEqual(parts, []);
    const events = await db.read.selectFrom('events').select('facts').where('object_id', 'in', ids).execute();
    assert.doesNotMatch(JSON.stringify(events), /sealed/);
    assert.deepEqual(await db.read.selectFrom('uploads').select('id').where('source', '<>', '').execute(), []);
    assert.equal((await verifyLog(app.app.ctx)).fault, null);
  });
});

onEachDatabase('a person who was erased before checksums were sealed', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  test('loses the checksums of their files by the job, and the log still verifies', async () => {
    const { ctx } = app.app;
    const [cid, ann] = [await newPerson(app, 'cid'), await newPerson(app, 'ann')];
    const [erased, kept] = [await share(cid, { bytes: '3141' }), await share(ann, { bytes: '2718' })];
    for (const { attachmentId } of [erased, kept]) await storeInClear(ctx, attachmentId);
    await app.app.jobs.runOnce('seal-events');
    const eventOf = (id: string) =>
      ctx.db.read
        .selectFrom('events')
        .selectAll()
        .where('object_id', '=', id)
        .where('action', '=', 'attachment.uploaded');
    const { facts } = await eventOf(erased.attachmentId).executeTakeFirstOrThrow();
    assert.match(facts, /[0-9a-f]{64}/);
    // An erasure by such a version left the checksum.
    await ctx.db.write(async (tx) => {
      const gone = { id: 'erased-x', state: 'deleted', created_at: 0, email: '', name: '', stored_bytes: 0 } as const;
      const { id: _, ...user } = await tx
        .selectFrom('users')
        .selectAll()
        .where('id', '=', idOf(cid))
        .executeTakeFirstOrThrow();
      await tx
        .insertInto('users')
        .values({ ...user, drop_name: null, ...gone })
        .execute();
      await tx.updateTable('attachments').set({ owner_id: 'erased-x' }).where('id', '=', erased.attachmentId).execute();
    });
    for (let runs = 0; runs < 3; runs++) await app.app.jobs.runOnce('seal-checksums');
    const row = await eventOf(erased.attachmentId).executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(row.facts), { size: 4, sha256: '' });
    assert.match((await eventOf(kept.attachmentId).executeTakeFirstOrThrow()).facts, /sealed/);
    await app.app.jobs.runOnce('seal-events');
    assert.equal((await verifyLog(ctx)).fault, null);
  });
});

onOneEngine('the data folder', (start) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'checksums-'));
  const app = useApp(start, { environment: { WAYBILL_DATA_DIR: dataDir, WAYBILL_ROLE: 'web' } });
  after(() => rm(dataDir, { recursive: true, force: true }));

  const secrets = (content: Buffer) => {
    const forms = checksumForms(content).filter((form) => form.length >= 16);
    return forms.map((bytes, index) => ({ name: `form ${index} of ${content}`, bytes }));
  };

  test('has no checksum from before they were sealed once the job has ended, also not in unused space of the file', async () => {
    const { ctx } = app.app;
    const cid = await newPerson(app, 'cid');
    const { attachmentId } = await share(cid, { bytes: Buffer.from('2468') });
    await storeInClear(ctx, attachmentId);
    assert.notDeepEqual(await findTraces(dataDir, secrets(Buffer.from('2468'))), []);
    for (let runs = 0; runs < 3; runs++) await app.app.jobs.runOnce('seal-checksums');
    await app.app.jobs.runOnce('finish-erasures');
    assert.deepEqual(await findTraces(dataDir, secrets(Buffer.from('2468'))), []);
  });

  test('has none of a person who was erased', async () => {
    const [dan, ann] = [await newPerson(app, 'dan'), await newPerson(app, 'ann')];
    await useEverything(app, dan, ann);
    await eraseAndFinish(app, dan);
    // Mails to people outside were delivered; without a relay they are files in this folder.
    for (const content of contents) assert.deepEqual(await findTraces(dataDir, secrets(content), ['mail']), []);
  });
});
