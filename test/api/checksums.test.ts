import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { findAttachment } from '#server/db/attachments/attachments.ts';
import { eventOf } from '#server/db/events/events.ts';
import { findSealable } from '#server/db/events/sealable-events.ts';
import { entryOf } from '#server/domain/evidence.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { checksumForms, tablesWithChecksum } from '#test/kit/checksum-forms.ts';
import { storeInClear } from '#test/kit/clear-checksums.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { crc32Of, sha256Of } from '#test/kit/content.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { idOf, newPerson, share, uploadChunks } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const pin = Buffer.from('4711');
const dayMs = 24 * 3_600_000;

function personalOf(entry: Buffer): string | undefined {
  return (JSON.parse(entry.toString()) as { personal: Record<string, string> }).personal['facts.sha256'];
}

onEachDatabase('a checksum', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let ann: ApiClient;
  before(async () => {
    ann = await newPerson(app, 'ann');
  });

  const tablesWith = (bytes: Buffer) => tablesWithChecksum(app.app.ctx.db, bytes);
  const eventsOf = (id: string) =>
    app.app.ctx.db.read
      .selectFrom('events')
      .select(['seq', 'facts'])
      .where('object_id', '=', id)
      .orderBy('seq')
      .execute();

  test('of a file is nowhere in clear, however the file was uploaded, and is still returned', async () => {
    const { attachmentId } = await share(ann, { bytes: pin, name: 'pin.4711 is the secret' });
    const inChunks = await uploadChunks(ann, 'pieces.txt', [Buffer.from('47'), Buffer.from('11')]);
    await sendMessage(ann, { recipients: ['bea@example.com'], attachments: [inlineFile('inline.txt', pin)] });
    const open = { filename: 'open.txt', chunks: '2', chunk: '0' };
    await ann.expect(200, 'uploadForLink', { query: open, bytes: new Uint8Array(pin) });
    await app.app.jobs.runOnce('finish-uploads');
    assert.deepEqual(await tablesWith(pin), []);
    for (const chunk of ['47', '11']) assert.deepEqual(await tablesWith(Buffer.from(chunk)), []);
    for (const id of [attachmentId, inChunks]) {
      const file = await findAttachment(app.app.ctx.db.read, id);
      assert.deepEqual([file?.sha256, file?.crc32], [sha256Of(pin), crc32Of(pin)]);
    }
    assert.doesNotMatch(JSON.stringify(await app.app.ctx.db.read.selectFrom('sends').selectAll().execute()), /secret/);
  });

  /** The hash that the log would have for this value, computed without the keys. */
  async function hashWithoutKeys(id: string, value: string): Promise<string | undefined> {
    const [row] = await app.app.ctx.db.read.selectFrom('events').selectAll().where('object_id', '=', id).execute();
    const kept = row!.opening === null ? {} : JSON.parse(row!.opening).kept;
    const event = eventOf(row!, { ...JSON.parse(row!.facts), sha256: value });
    return personalOf(entryOf(event, { secret: row!.salt, kept, erased: {} }));
  }
  async function hashInLog(id: string): Promise<string | undefined> {
    const [row] = await eventsOf(id);
    const sealable = (await findSealable(app.app.ctx.db.read, Number(row!.seq)))!;
    assert.equal(sealable.event.facts.sha256, sha256Of(pin));
    return personalOf(entryOf(sealable.event, sealable.salts));
  }

  test('cannot be guessed from the evidence log and the database: the salt is sealed too', async () => {
    const { attachmentId } = await share(ann, { bytes: pin });
    const inLog = await hashInLog(attachmentId);
    assert.match(inLog!, /^.{43}=$/);
    assert.notEqual(await hashWithoutKeys(attachmentId, sha256Of(pin)), inLog);
    await app.app.jobs.runOnce('seal-events');
    assert.equal((await verifyLog(app.app.ctx)).fault, null);
  });

  test('is not shown to administrators in the event log', async () => {
    const { attachmentId } = await share(ann, { bytes: pin });
    const list = await app.admin.expect(200, 'listEvents', { query: { object: attachmentId } });
    assert.match(JSON.stringify(list.body), /attachment\.uploaded.*"facts":\{"size":4\}/);
    const exported = await app.admin.call('exportEvents', { query: { object: attachmentId } });
    assert.match(exported.text, /attachment\.uploaded/);
    for (const form of checksumForms(pin))
      assert.ok(!`${JSON.stringify(list.body)}${exported.text}`.includes(form.toString()));
  });

  test('stays sealed once the file is erased, and the receipt has it', async () => {
    const { attachmentId, linkId } = await share(ann, { bytes: pin });
    await ann.expect(200, 'deleteFileLink', { params: { id: linkId } });
    app.clock.advance(2 * dayMs);
    await app.app.jobs.runOnce('erase-files');
    assert.deepEqual(await tablesWith(pin), []);
    assert.equal((await findAttachment(app.app.ctx.db.read, attachmentId))?.sha256, sha256Of(pin));
  });

  test('of a chunk that is sent again is compared', async () => {
    const query = { filename: 'again.txt', chunks: '2', chunk: '0' };
    for (let times = 0; times < 2; times++)
      await ann.expect(200, 'uploadForLink', { query, bytes: new Uint8Array(pin) });
    const [upload] = await app.app.ctx.db.read
      .selectFrom('uploads')
      .selectAll()
      .where('owner_id', '=', idOf(ann))
      .where('state', '=', 'open')
      .orderBy('created_at', 'desc')
      .execute();
    assert.equal(upload?.has_conflict, 0);
  });

  test('in clear from a version that did not seal it is sealed by the job in batches, and the log still verifies', async () => {
    const { ctx } = app.app;
    const { attachmentId, linkId } = await share(ann, { bytes: pin, name: 'a.Secret Word' });
    await storeInClear(ctx, attachmentId);
    await ctx.db.write((tx) =>
      tx
        .updateTable('sends')
        .set({ facts: '{"file":{"extension":"secret word","sizeBytes":4},"hasPassword":false}' })
        .where('id', '=', linkId)
        .execute(),
    );
    assert.deepEqual(await tablesWith(pin), ['attachments', 'events', 'parts']);
    await app.app.jobs.runOnce('seal-events');
    const inLog = await hashInLog(attachmentId);
    assert.equal(await hashWithoutKeys(attachmentId, sha256Of(pin)), inLog, 'before, the salt is in the row');
    for (let runs = 0; runs < 3; runs++) await app.app.jobs.runOnce('seal-checksums');
    assert.deepEqual(await tablesWith(pin), []);
    const { facts } = await ctx.db.read
      .selectFrom('sends')
      .select('facts')
      .where('id', '=', linkId)
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(facts).file, { extension: '', sizeBytes: 4 });
    const file = await findAttachment(ctx.db.read, attachmentId);
    assert.deepEqual([file?.sha256, file?.crc32], [sha256Of(pin), crc32Of(pin)]);
    assert.equal(await hashInLog(attachmentId), inLog);
    assert.notEqual(await hashWithoutKeys(attachmentId, sha256Of(pin)), inLog);
    assert.equal((await verifyLog(ctx)).fault, null);
    await share(ann, { bytes: pin });
    assert.deepEqual(await tablesWith(pin), []);
    assert.match((await app.app.jobs.runOnce('seal-checksums')) ?? '', /nothing/);
  });

  test('is deleted when its owner is erased, and the log keeps a hash that no one can check', async () => {
    const { ctx } = app.app;
    const cid = await newPerson(app, 'cid');
    const { attachmentId } = await share(cid, { bytes: pin });
    await app.app.jobs.runOnce('seal-events');
    const erasure = { email: cid.email, reason: 'Asked by letter' };
    await app.admin.expect(200, 'erasePerson', { params: { id: idOf(cid) }, body: { erasure } });
    app.clock.advance(61_000);
    await app.app.jobs.runOnce('finish-erasures');
    await app.app.jobs.runOnce('seal-events');
    const row = await ctx.db.read
      .selectFrom('attachments')
      .selectAll()
      .where('id', '=', attachmentId)
      .executeTakeFirstOrThrow();
    assert.deepEqual([row.checksums_sealed, row.sha256, row.crc32], [null, '', '']);
    const [uploaded] = await eventsOf(attachmentId);
    assert.deepEqual(JSON.parse(uploaded!.facts), { size: 4, sha256: '' });
    const kept = await findSealable(ctx.db.read, Number(uploaded!.seq));
    assert.equal(kept?.salts.kept['facts.sha256'], undefined);
    assert.equal((await verifyLog(ctx)).fault, null);
  });
});
