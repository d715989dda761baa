// A failing store: uploads are refused and leave nothing, downloads break off, and the service recovers with the store.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as fileSystem from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { attachmentsAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { openDiskStore } from '#server/blobs/disk.ts';
import type { Files } from '#server/blobs/disk-health.ts';
import { openVault } from '#server/blobs/encrypted.ts';
import { BlobDamaged, StoreUnavailable } from '#server/domain/ports.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { download, type FileReply } from '#test/kit/downloads.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { createFaultyStore, type Faults } from '#test/kit/faulty-store.ts';
import { wireForm } from '../kit/wire-form.ts';

const megabyte = 1024 * 1024;

describe('a store that fails', () => {
  let app: TestApp;
  let person: ApiClient;
  let folder: string;
  let faults: Faults;
  const disk: { onWrite: string | null; onSync: string | null } = { onWrite: null, onSync: null };

  before(async () => {
    folder = await fileSystem.mkdtemp(join(tmpdir(), 'waybill-store-'));
    const store = await openDiskStore({ dir: join(folder, 'files'), minFreeBytes: 0, files: failingFiles(disk) });
    const faulty = createFaultyStore(store);
    faults = faulty.faults;
    const vault = openVault(faulty.store);
    app = await startTestApp(sqliteAndDisk, { wrapVault: () => vault, environment: { WAYBILL_ROLE: 'web' } });
    person = await app.person('person', { group: await app.group('Limited', { storage_quota: 1000 }) });
  });
  after(async () => {
    await app.close();
    await fileSystem.rm(folder, { recursive: true, force: true });
  });

  const upload = (bytes: Buffer<ArrayBuffer>, query: Record<string, string> = {}) =>
    person.call('uploadForLink', { query: { filename: 'a.bin', ...query }, bytes, headers: { connection: 'close' } });

  /** No partial data: no file, chunk, bytes or reservation. */
  async function leavesNothing(act: () => Promise<void>): Promise<void> {
    const before = await remains();
    await act();
    assert.deepEqual(await remains(), before);
  }

  async function remains() {
    const { db, blobs } = app.app.ctx;
    const { body } = await person.expect(200, 'listAttachments');
    const stored: string[] = [];
    for await (const blob of blobs.list()) stored.push(blob.key);
    return {
      listed: wireForm(attachmentsAnswer, body).attachments.map((file) => file.id),
      stored: stored.sort(),
      temporary: await fileSystem.readdir(join(folder, 'files', 'tmp')),
      parts: (await db.read.selectFrom('parts').select('blob_key').execute()).length,
      reserved: await db.read.selectFrom('reservations').selectAll().execute(),
    };
  }

  const refusals: [string, () => void, number, string][] = [
    ['opening a blob fails', () => (faults.onCreate = () => unavailable()), 503, 'server.unavailable'],
    [
      'the first write fails',
      () => (faults.onWrite = (number) => (number === 1 ? unavailable() : null)),
      503,
      'server.unavailable',
    ],
    [
      'a later write fails',
      () => (faults.onWrite = (_number, soFar) => (soFar > 0 ? unavailable() : null)),
      503,
      'server.unavailable',
    ],
    ['the commit fails', () => (faults.onCommit = () => unavailable()), 503, 'server.unavailable'],
    ['the disk is full', () => (disk.onWrite = 'ENOSPC'), 507, 'storage.full'],
    ['the quota of the disk is used up', () => (disk.onWrite = 'EDQUOT'), 507, 'storage.full'],
  ];
  for (const [what, provoke, status, code] of refusals) {
    test(`${what}: an upload is answered with ${status}, leaves nothing, and the next one succeeds`, async () => {
      const bytes = randomBytes(4 * megabyte);
      await leavesNothing(async () => {
        provoke();
        const ways: Record<string, string>[] = [{}, { chunks: '2', chunk: '0', upload_id: 'new' }];
        for (const query of ways) {
          const reply = await upload(bytes, query);
          assert.deepEqual([reply.status, (reply.body as { code: string }).code], [status, code]);
          if (status === 503) assert.ok(Number(reply.headers.get('retry-after')) > 0);
        }
        heal();
      });
      assert.equal((await upload(bytes)).status, 200);
    });
  }

  test('a chunk that could not be stored is sent again, and the upload is complete', async () => {
    const [first, second] = [randomBytes(megabyte), randomBytes(megabyte)];
    const upload_id = (await upload(first, { chunks: '2', chunk: '0', upload_id: 'new' })).headers.get('upload-id')!;
    faults.onCommit = () => unavailable();
    assert.equal((await upload(second, { chunks: '2', chunk: '1', upload_id })).status, 503);
    heal();
    const reply = await upload(second, { chunks: '2', chunk: '1', upload_id });
    assert.ok((await fetchBack(idOf(reply.body))).bytes.equals(Buffer.concat([first, second])));
  });

  test('a read that fails in the middle interrupts the download, and the next one is complete', async () => {
    const bytes = randomBytes(8 * megabyte);
    const link = await linkTo(idOf((await upload(bytes)).body));
    faults.onRead = (soFar) => (soFar > 3 * megabyte ? unavailable() : null);
    const broken = await download(app.url, link);
    assert.equal(broken.status, 200);
    assert.equal(broken.isWhole, false, 'it must not look complete');
    assert.ok(broken.bytes.length < bytes.length && bytes.subarray(0, broken.bytes.length).equals(broken.bytes));
    heal();
    const whole = await download(app.url, link);
    assert.ok(whole.isWhole && whole.bytes.equals(bytes), 'one fault of the way is not a fault of the file');
  });

  test('the download of a damaged file breaks off, and no further one begins', async () => {
    const bytes = randomBytes(4 * megabyte);
    const link = await linkTo(idOf((await upload(bytes)).body));
    faults.onRead = (soFar) => (soFar > megabyte ? new BlobDamaged('x'.repeat(22), 'a test says so') : null);
    assert.equal((await download(app.url, link)).isWhole, false);
    heal();
    const refused = await download(app.url, link);
    assert.notEqual(refused.status, 200);
    assert.equal(refused.bytes.length, 0);
  });

  test('a failed flush makes the store read-only: uploads are refused, downloads work, and readyz reports it', async () => {
    const bytes = randomBytes(megabyte);
    const link = await linkTo(idOf((await upload(bytes)).body));
    assert.equal((await person.fetch('/readyz')).status, 200);
    await leavesNothing(async () => {
      disk.onSync = 'EIO';
      assert.equal((await upload(bytes)).status, 503);
      disk.onSync = null;
      const again = await upload(bytes);
      assert.equal(again.status, 503, 'the kernel may have dropped pages: a retry proves nothing');
    });
    const ready = await person.fetch('/readyz');
    assert.deepEqual([ready.status, ready.body], [503, { status: 'not ready', failing: ['storage'] }]);
    assert.equal((await person.fetch('/healthz')).status, 200);
    assert.ok((await download(app.url, link)).bytes.equals(bytes));
  });

  function heal(): void {
    for (const name of Object.keys(faults)) delete faults[name as keyof Faults];
    disk.onWrite = null;
  }

  async function linkTo(attachment: string): Promise<string> {
    const { body } = await person.expect(200, 'createFileLink', { body: { link: { attachment } } });
    return wireForm(fileLinkAnswer, body).link.id;
  }

  async function fetchBack(attachment: string): Promise<FileReply> {
    return download(app.url, await linkTo(attachment));
  }
});

function unavailable(): Error {
  return new StoreUnavailable('a test says so');
}

function idOf(body: unknown): string {
  return (body as { attachment: { id: string } }).attachment.id;
}

function failingFiles(disk: { onWrite: string | null; onSync: string | null }): Files {
  const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
  return {
    ...fileSystem,
    open: async (...args: Parameters<typeof fileSystem.open>) => {
      const handle = await fileSystem.open(...args);
      const write = handle.write.bind(handle) as (...rest: unknown[]) => Promise<unknown>;
      const sync = handle.sync.bind(handle);
      handle.write = ((...rest: unknown[]) =>
        disk.onWrite === null ? write(...rest) : failing(disk.onWrite)) as typeof handle.write;
      handle.sync = () => (disk.onSync === null ? sync() : failing(disk.onSync));
      return handle;
    },
  };
}
