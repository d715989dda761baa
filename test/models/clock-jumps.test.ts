// Time and running streams: admitted downloads may finish, withdrawn ones stop, and a changed clock destroys no data
// unchecked.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { onEachEngine, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload, fetchFile, openDownload } from '#test/kit/downloads.ts';
import { eventually } from '#test/kit/eventually.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 24 * 3_600_000;

onEachEngine('time and withdrawal', (start) => {
  let app: TestApp;
  let owner: ApiClient;
  let fileId: string;
  const bytes = randomBytes(beyondBuffersBytes);

  before(async () => {
    app = await start({ environment: { WAYBILL_ROLE: 'web' } });
    owner = await app.person('owner', { group: await app.group('Owners', { api_key_lifetime: 0 }) });
    fileId = (await owner.upload('large.bin', bytes)).id;
  });
  after(() => app.close());

  const linkUntil = async (attachment: string, expiresOn?: string) => {
    const link = { attachment, ...(expiresOn === undefined ? {} : { expires_at: expiresOn }) };
    const { body } = await owner.expect(200, 'createFileLink', { body: { link } });
    return wireForm(fileLinkAnswer, body).link.id;
  };
  const running = async (linkId: string) => {
    const { path } = await clickDownload(app.url, linkId);
    const stream = await openDownload(app.url, path!);
    assert.equal(stream.status, 200);
    return { stream, path: path! };
  };
  /** The log shows that the server ended an unread stream (limit 5 s, here longer for busy machines). */
  const untilCut = (linkId: string) =>
    eventually('the running download is cut', async () => {
      const { db } = app.app.ctx;
      const lines = await db.read.selectFrom('downloads').select('outcome').where('link_id', '=', linkId).execute();
      return lines.some((line) => line.outcome === 'cut');
    });
  const today = () => new Date(app.clock.now()).toISOString().slice(0, 10);

  test('a download that began before its link expired is finished, and none begins afterwards', async () => {
    const linkId = await linkUntil(fileId, today());
    const { stream, path } = await running(linkId);
    app.clock.advance(dayMs);
    await app.app.jobs.runOnce('expire', { isConfirmed: true });
    assert.ok([404, 410].includes((await fetchFile(app.url, path)).status));
    assert.equal((await clickDownload(app.url, linkId)).path, null);
    // Running downloads are checked every two seconds; this one must have been checked and kept.
    await pause(3_000);
    const whole = await stream.rest();
    assert.ok(whole.isWhole && whole.bytes.equals(bytes));
  });

  test('a running download of a deleted link is cut within seconds', async () => {
    const holder = await linkUntil(fileId);
    const linkId = await linkUntil(fileId);
    const { stream, path } = await running(linkId);
    await owner.expect(200, 'deleteFileLink', { params: { id: linkId } });
    await untilCut(linkId);
    const rest = await stream.rest();
    assert.equal(rest.isWhole, false);
    assert.ok(rest.bytes.length < bytes.length);
    assert.equal((await fetchFile(app.url, path)).status, 410);
    await owner.expect(200, 'deleteFileLink', { params: { id: holder } }).catch(() => {});
    fileId = (await owner.upload('large.bin', bytes)).id;
  });

  test('a running download is cut when its owner is disabled, and can be resumed when the owner is enabled', async () => {
    const linkId = await linkUntil(fileId);
    const { stream, path } = await running(linkId);
    const setOff = (disabled: boolean) =>
      app.admin.expect(200, 'changeUser', { params: { id: owner.email }, body: { user: { disabled } } });
    await setOff(true);
    await untilCut(linkId);
    const rest = await stream.rest();
    assert.equal(rest.isWhole, false);
    assert.equal((await fetchFile(app.url, path)).status, 410);
    await setOff(false);
    const start = rest.bytes.length;
    const resumed = await fetchFile(app.url, path, {
      headers: { range: `bytes=${start}-`, 'if-range': stream.headers.etag! },
    });
    assert.equal(resumed.status, 206);
    assert.ok(Buffer.concat([rest.bytes, resumed.bytes]).equals(bytes));
    const { body } = await owner.expect(200, 'listLinkDownloads', { params: { id: linkId } });
    assert.equal((body as { downloads: unknown[] }).downloads.length, 1, 'resuming counts once');
  });

  test('every job that destroys data stops and asks when the clock was set, whichever notices first', async () => {
    const first = await owner.call('uploadForLink', {
      query: { filename: 'unfinished.bin', chunks: '2', chunk: '0' },
      bytes: randomBytes(1000),
    });
    const upload_id = first.headers.get('upload-id')!;
    const destroyers = ['abandon-uploads', 'erase-files', 'sweep-orphans', 'purge-inactive-users'];
    for (const name of destroyers) await app.app.jobs.runOnce(name, { isConfirmed: true });
    app.clock.set(app.clock.now() + 3 * dayMs);
    for (const name of destroyers) assert.match((await app.app.jobs.runOnce(name))!, /^held back: the clock was set/);
    for (const name of destroyers) assert.match((await app.app.jobs.runOnce(name))!, /^held back/, 'until confirmed');
    await owner.expect(200, 'getUpload', { params: { id: upload_id } });
    const last = await owner.expect(200, 'uploadForLink', {
      query: { filename: 'unfinished.bin', chunks: '2', chunk: '1', upload_id },
      bytes: randomBytes(1000),
    });
    assert.equal(wireForm(attachmentAnswer, last.body).attachment.id, upload_id);
    for (const name of destroyers)
      assert.doesNotMatch((await app.app.jobs.runOnce(name, { isConfirmed: true }))!, /held/);
  });

  test('a clock set forward erases an expired file only after the grace of uptime', async () => {
    const small = (await owner.upload('small.bin', randomBytes(1000))).id;
    const linkId = await linkUntil(small, today());
    const state = async () =>
      (await app.app.ctx.db.read.selectFrom('attachments').select('state').where('id', '=', small).executeTakeFirst())
        ?.state;
    const runJobs = async () => {
      for (const name of ['expire', 'erase-files']) await app.app.jobs.runOnce(name, { isConfirmed: true });
    };
    app.clock.set(app.clock.now() + 30 * dayMs);
    await runJobs();
    assert.equal(await state(), 'ready');
    assert.equal((await clickDownload(app.url, linkId)).path, null);
    app.clock.set(app.clock.now() - 30 * dayMs);
    assert.equal((await clickDownload(app.url, linkId)).path, null, 'setting the clock back restores no download');
    app.clock.advance(dayMs - 1);
    await runJobs();
    assert.equal(await state(), 'ready');
    app.clock.advance(1);
    await runJobs();
    assert.equal(await state(), 'erased');
  });
});
