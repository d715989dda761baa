// PostgreSQL or S3 unreachable or silent: 503 with the error body, no partial data, readyz names it, recovery without a
// restart.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { createStoreOwner } from '#server/installation/store-owner.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { type CuttableProxy, openCuttableProxy } from '#test/kit/cuttable-proxy.ts';
import { clickDownload, download, openDownload } from '#test/kit/downloads.ts';
import { type Engine, engines, postgresAndS3 } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { holdUpload } from '#test/kit/held-upload.ts';
import { wireForm } from '../kit/wire-form.ts';

const skip = engines.includes(postgresAndS3) ? false : 'needs the servers of the test command';
const megabyte = 1024 * 1024;

describe('a server the service depends on', { skip }, () => {
  let app: TestApp;
  let person: ApiClient;
  let database: CuttableProxy;
  let store: CuttableProxy;

  before(async () => {
    const throughProxies: Engine = {
      name: 'through proxies',
      async create() {
        const { environment, drop } = await postgresAndS3.create();
        database = await openCuttableProxy(placeOf(environment.WAYBILL_DATABASE_URL!));
        store = await openCuttableProxy(placeOf(environment.WAYBILL_S3_ENDPOINT!));
        return {
          environment: {
            ...environment,
            WAYBILL_DATABASE_URL: withPort(environment.WAYBILL_DATABASE_URL!, database.port),
            WAYBILL_S3_ENDPOINT: withPort(environment.WAYBILL_S3_ENDPOINT!, store.port),
          },
          async drop() {
            await Promise.all([database.close(), store.close()]);
            await drop();
          },
        };
      },
    };
    app = await startTestApp(throughProxies, { environment: { WAYBILL_ROLE: 'web' } });
    person = await app.person('person', { group: await app.group('Limited', { storage_quota: 1000 }) });
  });
  after(() => app.close());

  const upload = (bytes: Buffer<ArrayBuffer>) =>
    person.call('uploadForLink', { query: { filename: 'a.bin' }, bytes, headers: { connection: 'close' } });
  const share = async (bytes: Buffer<ArrayBuffer>) => {
    const reply = await upload(bytes);
    const attachment = wireForm(attachmentAnswer, reply.body).attachment.id;
    const { body } = await person.expect(200, 'createFileLink', { body: { link: { attachment } } });
    return wireForm(fileLinkAnswer, body).link.id;
  };
  /**
   * The state of the store is cached for two seconds of the service's clock, which must stay within a minute of the
   * database's.
   */
  const expireCachedState = () => {
    const [now, machine] = [app.clock.now(), Date.now()];
    app.clock.advance(Math.max(machine, Math.min(now + 3_000, machine + 30_000)) - now);
  };
  const readiness = () => {
    expireCachedState();
    return person.fetch('/readyz', { signal: AbortSignal.timeout(120_000) });
  };
  /** Near the limit of the clock a state of before the fault can still be cached. */
  const reported = async (body: unknown) => {
    await eventually('readyz reports a fault', async () => (await readiness()).status === 503);
    assert.deepEqual((await readiness()).body, body);
  };
  const recovered = async () => {
    await eventually('the service is ready again', async () => (await readiness()).status === 200);
    const bytes = randomBytes(100_000);
    assert.ok((await download(app.url, await share(bytes))).bytes.equals(bytes));
  };
  const fileCount = async () =>
    ((await person.expect(200, 'listAttachments')).body as { attachments: unknown[] }).attachments.length;

  test('the store is cut off: uploads are refused, lists still work, downloads break off', async () => {
    const bytes = randomBytes(24 * megabyte);
    const link = await share(bytes);
    const { path } = await clickDownload(app.url, link);
    const running = await openDownload(app.url, path!);
    const before = await fileCount();
    const held = await holdUpload(person, '/link/attachments/upload?filename=held.bin', { lengthBytes: 2 * megabyte });
    await held.send(randomBytes(megabyte));
    store.cut();
    const half = await held.finish(randomBytes(megabyte));
    assert.deepEqual([half.status, JSON.parse(half.text).code], [503, 'server.unavailable']);
    const broken = await running.rest();
    assert.equal(broken.isWhole, false);
    assert.ok(bytes.subarray(0, broken.bytes.length).equals(broken.bytes));
    expireCachedState();
    const refused = await upload(randomBytes(1000));
    assert.equal(refused.status, 503, refused.text);
    assert.equal(await fileCount(), before);
    await reported({ status: 'not ready', failing: ['storage'] });
    assert.equal((await person.fetch('/healthz')).status, 200);
    store.mend();
    await recovered();
    assert.ok((await download(app.url, link)).bytes.equals(bytes), 'the file itself was never at fault');
  });

  test('the store falls silent: uploads are refused and readyz reports it, within seconds', async () => {
    store.silence();
    await reported({ status: 'not ready', failing: ['storage'] });
    assert.equal((await upload(randomBytes(1000))).status, 503);
    assert.equal((await person.call('listAttachments')).status, 200);
    store.mend();
    await recovered();
  });

  test('the database is cut off: the store is not reported as faulty, but its owner cannot be checked', async () => {
    const owner = createStoreOwner(app.app.ctx.db, openMemoryStore(), {
      where: 'memory',
      onOlderDatabase: async () => {},
    });
    await owner.adopt();
    assert.equal(await owner.check(), null);
    database.cut();
    assert.deepEqual([await owner.check(), owner.fault()], [null, null]);
    await assert.rejects(owner.assertOwned(), /the database is not available/);
    database.mend();
    await recovered();
    await owner.assertOwned();
  });

  test('the database is cut off: every call is refused with 503, and a running upload is not acknowledged', async () => {
    const before = await fileCount();
    const held = await holdUpload(person, '/link/attachments/upload?filename=held.bin', { lengthBytes: 200_000 });
    await held.send(randomBytes(100_000));
    database.cut();
    const half = await held.finish(randomBytes(100_000));
    assert.deepEqual([half.status, JSON.parse(half.text).code], [503, 'server.unavailable']);
    for (const call of ['getAccount', 'listAttachments', 'listFileLinks', 'listDownloads'] as const)
      assert.equal((await person.call(call)).status, 503);
    assert.equal((await upload(randomBytes(1000))).status, 503);
    const ready = await readiness();
    assert.equal(ready.status, 503);
    assert.deepEqual((ready.body as { failing: string[] }).failing, ['database', 'migrations']);
    assert.equal((await person.fetch('/healthz')).status, 200);
    database.mend();
    await recovered();
    assert.equal(await fileCount(), before + 1);
  });

  test('the database falls silent: readyz reports it within seconds, and the service recovers with it', async () => {
    database.silence();
    const ready = await readiness();
    assert.equal(ready.status, 503);
    assert.deepEqual((ready.body as { failing: string[] }).failing, ['database', 'migrations']);
    database.mend();
    await recovered();
  });

  test('interrupted uploads leave no reservation, and after the sweep no unreferenced blob', async () => {
    const { db, blobs } = app.app.ctx;
    app.clock.advance(Math.max(0, Date.now() - app.clock.now()) + 25 * 3_600_000);
    for (const name of ['tidy', 'remove-erased', 'sweep-orphans'])
      await app.app.jobs.runOnce(name, { isConfirmed: true });
    assert.deepEqual(await db.read.selectFrom('reservations').selectAll().execute(), []);
    const stored: string[] = [];
    for await (const blob of blobs.list()) stored.push(blob.key);
    const parts = await db.read.selectFrom('parts').select('blob_key').execute();
    assert.deepEqual(stored.sort(), parts.map((part) => part.blob_key).sort());
    const user = await db.read
      .selectFrom('users')
      .selectAll()
      .where('id', '=', 'person-example-com')
      .executeTakeFirst();
    assert.equal(user?.reserved_bytes, 0);
  });
});

function placeOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href.replace(/\/$/, '');
}
