import assert from 'node:assert/strict';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { checkFile } from '#server/actions/storage/checking.ts';
import { setAttachmentState } from '#server/db/attachments/attachments.ts';
import { deleteMeta, findInstallationId, findMetaNumber, setMeta } from '#server/db/system/installation.ts';
import { listSomeBlobKeys } from '#server/db/uploads/parts.ts';
import { systemCaller } from '#server/domain/caller.ts';
import type { BlobStore } from '#server/domain/ports.ts';
import { judgeStore } from '#server/installation/store-owner.ts';
import { onEachEngine, type StartOptions, startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { download } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { contentOf } from '#test/kit/inside.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 24 * 3_600_000;

async function failingOf(app: TestApp): Promise<string[]> {
  return ((await app.anonymous.fetch('/readyz')).body as { failing?: string[] }).failing ?? [];
}

/** The owner of a store with this mark and these files, as the installation sees it. */
async function standingOf(app: TestApp, mark: string | null, keys: string[]): Promise<string> {
  const store: Pick<BlobStore, 'readMark' | 'list' | 'stat'> = {
    readMark: async () => mark,
    async *list() {
      for (const key of keys) yield { key, storedBytes: 1, modifiedAt: 0 };
    },
    stat: async (key) => (keys.includes(key) ? { key, storedBytes: 1, modifiedAt: 0 } : null),
  };
  return (await judgeStore(app.app.ctx.db, store, 'the store')).standing;
}

onEachEngine('the owner of a store', (start, engine) => {
  let place: Awaited<ReturnType<typeof engine.create>>;
  let first: TestApp;
  let alice: ApiClient;
  let linkId: string;

  const shared = (): StartOptions => {
    const { WAYBILL_S3_BUCKET, WAYBILL_DATA_DIR } = place.environment;
    const environment: Record<string, string> =
      WAYBILL_S3_BUCKET === undefined
        ? { WAYBILL_STORAGE_DIR: join(WAYBILL_DATA_DIR!, 'files') }
        : { WAYBILL_S3_BUCKET };
    return { environment: { ...environment, WAYBILL_ROLE: 'web' } };
  };
  before(async () => {
    place = await engine.create('migrated');
    first = await startTestApp({ ...engine, create: async () => place }, shared());
    alice = await first.person('alice');
    const { id } = await alice.upload('kept.txt', 'kept');
    const { body } = await alice.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    linkId = wireForm(fileLinkAnswer, body).link.id;
  });
  after(() => first.close());

  const isWhole = async () => (await download(first.url, linkId)).bytes.toString() === 'kept';

  test('is the first: a second installation is not ready, stores nothing and erases nothing', async () => {
    const second = await start(shared());
    try {
      assert.deepEqual(await failingOf(second), ['storage']);
      const strange = ['A'.repeat(22)];
      assert.equal(await standingOf(second, null, strange), 'foreign');
      assert.equal(await standingOf(second, null, []), 'unmarked');
      assert.match(second.app.ctx.blobs.trouble(), /belongs to another installation.*waybill-server store --adopt/);
      const bob = await second.person('bob');
      assert.equal((await bob.call('uploadForLink', { query: { filename: 'b.txt' }, bytes: 'b' })).status, 503);
      second.clock.advance(3 * dayMs);
      await assert.rejects(second.app.jobs.runOnce('sweep-orphans', { isConfirmed: true }), /another installation/);
      await assert.rejects(second.app.ctx.blobs.erase('A'.repeat(22)), /another installation/);
      assert.ok(await isWhole());
    } finally {
      await second.close();
    }
  });

  test('is recognised by the mark, and without one by any of the files in the database', async () => {
    const { read } = first.app.ctx.db;
    const [known] = await listSomeBlobKeys(read, 1);
    const strange = 'A'.repeat(22);
    assert.equal(await standingOf(first, null, []), 'empty');
    assert.equal(await standingOf(first, null, [strange]), 'empty');
    assert.equal(await standingOf(first, null, [strange, known!]), 'unmarked');
    assert.equal(await standingOf(first, 'not a mark', [known!]), 'foreign');
    const installation = await findInstallationId(read);
    const beat = await findMetaNumber(read, 'store_beat');
    const marked = (ahead: number) => standingOf(first, JSON.stringify({ installation, beat: beat + ahead }), []);
    assert.deepEqual([await marked(0), await marked(2), await marked(3)], ['ours', 'ours', 'later']);
  });

  if (engine.name.includes('disk'))
    test('loses nothing while its folder is unreachable: not ready, nothing marked, and everything works when it is back', async () => {
      const dir = join(place.environment.WAYBILL_DATA_DIR!, 'files');
      await rename(dir, `${dir}-away`);
      await mkdir(join(dir, 'tmp'), { recursive: true });
      assert.equal((await download(first.url, linkId)).status, 503);
      await first.restart();
      assert.deepEqual(await failingOf(first), ['storage']);
      assert.match(first.app.ctx.blobs.trouble(), /has none of the files of this database.*mounted/);
      assert.equal((await alice.call('uploadForLink', { query: { filename: 'b.txt' }, bytes: 'b' })).status, 503);
      const [{ id }] = (await first.app.ctx.db.read.selectFrom('attachments').select('id').execute()) as [
        { id: string },
      ];
      await assert.rejects(checkFile(first.app.ctx, systemCaller, id), /has none of the files/);
      await rm(dir, { recursive: true });
      await rename(`${dir}-away`, dir);
      await until(async () => {
        // The state of the store is cached for two seconds.
        first.clock.advance(3000);
        return (await failingOf(first)).length === 0;
      });
      assert.ok(await isWhole());
    });

  if (engine.name.includes('S3'))
    test('has its files: with the name of another, empty bucket it is not ready and stores nothing', async () => {
      const { environment, drop } = await engine.create();
      const { WAYBILL_S3_BUCKET } = environment as { WAYBILL_S3_BUCKET: string };
      const samePlace = { environment: place.environment, drop };
      const options = { environment: { WAYBILL_S3_BUCKET, WAYBILL_ROLE: 'web' } };
      const mistaken = await startTestApp({ ...engine, create: async () => samePlace }, options);
      try {
        assert.deepEqual(await failingOf(mistaken), ['storage']);
        assert.match(
          mistaken.app.ctx.blobs.trouble(),
          new RegExp(`\\(bucket ${WAYBILL_S3_BUCKET}/\\) has none of the files of this database.*store --adopt`),
        );
        const query = { filename: 'b.txt' };
        assert.equal((await mistaken.admin.call('uploadForLink', { query, bytes: 'b' })).status, 503);
      } finally {
        await mistaken.close();
      }
      assert.ok(await isWhole());
    });

  test('serves a file that was marked as damaged by mistake once it was read completely', async () => {
    const { db } = first.app.ctx;
    const [{ id }] = (await db.read.selectFrom('attachments').select('id').execute()) as [{ id: string }];
    assert.equal(await checkFile(first.app.ctx, systemCaller, id), 'whole');
    await db.write((tx) => setAttachmentState(tx, id, 'damaged'));
    assert.ok(!(await isWhole()));
    assert.equal(await checkFile(first.app.ctx, systemCaller, id), 'mended');
    assert.ok(await isWhole());
  });

  test('serves a file that was damaged for a while again automatically, but not one that stays damaged', async () => {
    const { db } = first.app.ctx;
    const [{ id }] = (await db.read.selectFrom('attachments').select('id').execute()) as [{ id: string }];
    const stays = (await alice.upload('stays.txt', 'broken')).id;
    await db.write(async (tx) => {
      await setAttachmentState(tx, id, 'damaged');
      await setAttachmentState(tx, stays, 'damaged');
      await tx
        .updateTable('attachments')
        .set({ sha256: 'f'.repeat(64), checksums_sealed: null })
        .where('id', '=', stays)
        .execute();
    });
    assert.ok(!(await isWhole()));
    assert.equal(await first.app.jobs.runOnce('check-damaged'), '2 damaged files read again, 1 of them whole');
    assert.ok(await isWhole());
    assert.equal(await first.app.jobs.runOnce('check-damaged'), '1 damaged file read again, 0 of them whole');
  });

  test('is still the first after a restart', async () => {
    await first.restart();
    assert.deepEqual(await failingOf(first), []);
    assert.ok(await isWhole());
  });

  if (engine.name.includes('S3'))
    test('shares the bucket with others that have their own prefix', async () => {
      const options = shared();
      const second = await start({ environment: { ...options.environment, WAYBILL_S3_PREFIX: 'second' } });
      try {
        assert.deepEqual(await failingOf(second), []);
        await (await second.person('bob')).upload('b.txt', 'b');
        for (const app of [first, second]) {
          app.clock.advance(3 * dayMs);
          assert.match((await app.app.jobs.runOnce('sweep-orphans', { isConfirmed: true })) ?? '', /^0 orphans/);
        }
        assert.ok(await isWhole());
      } finally {
        await second.close();
      }
    });

  if (engine.name.includes('S3'))
    test('is checked also for the store that files are moved from: one of another installation loses nothing', async () => {
      const { environment, drop } = await engine.create();
      const starting = (before: string) =>
        startTestApp(
          { ...engine, create: async () => ({ environment, drop: async () => {} }) },
          { environment: { ...shared().environment, WAYBILL_STORAGE: 'file', WAYBILL_STORAGE_BEFORE: before } },
        );
      const alone = await starting('none');
      const { id } = await (await alone.person('bob')).upload('b.txt', 'b');
      await alone.close();
      const second = await starting('s3');
      try {
        second.clock.advance(3 * dayMs);
        await assert.rejects(second.app.jobs.runOnce('sweep-orphans', { isConfirmed: true }), /another installation/);
        assert.deepEqual(await failingOf(second), ['storage']);
        assert.match(
          second.app.ctx.blobs.trouble(),
          new RegExp(`${place.environment.WAYBILL_S3_BUCKET}/, where files were before\\) belongs to another`),
        );
        await assert.rejects(second.app.ctx.blobs.assertOwn(), /another installation/);
        assert.equal((await contentOf(second, id)).toString(), 'b');
        assert.ok(await isWhole());
      } finally {
        await second.close();
        await drop();
      }
    });

  test('waits with mail and erasing when the store has seen a later state of it, until an operator continues it', async () => {
    const { db } = first.app.ctx;
    for (let count = 0; count < 5; count++) await first.app.jobs.runOnce('mark-store');
    await db.write((tx) => setMeta(tx, 'store_beat', '1'));
    await first.restart();
    const run = async (name: string) => (await first.app.jobs.runOnce(name, { isConfirmed: true })) ?? '';
    for (const name of ['send-outbox', 'sweep-orphans', 'erase-files', 'remove-erased', 'purge-inactive-users', 'tidy'])
      assert.match(await run(name), /^paused: The store has seen a later state of this installation/, name);
    assert.match(await run('seal-events'), /sealed/);
    assert.deepEqual(await failingOf(first), [], 'people can be served');
    const { body } = await first.admin.expect(200, 'getOverview', {});
    assert.equal(
      (body as { overview: { attention: { topic: string }[] } }).overview.attention[0]!.topic,
      'quarantined',
    );
    await first.app.ctx.db.write((tx) => deleteMeta(tx, 'quarantine'));
    await until(async () => !(await run('tidy')).startsWith('paused'));
  });
});
