import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { deleteIdleUser } from '#server/actions/users/users.ts';
import { findAttachment } from '#server/db/attachments/attachments.ts';
import { sealChecksums } from '#server/db/attachments/checksums.ts';
import { listIdleUsers } from '#server/db/users/users.ts';
import { expire } from '#server/jobs/expire.ts';
import { applySafetyLimit, HeldBack } from '#server/jobs/safety-limit.ts';
import { onEachEngine, onOneEngine, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { startWithStore } from '#test/kit/damage.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { idOf, newPerson, type SharedFile, share, uploadChunks } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);

async function blobKeys(app: TestApp): Promise<string[]> {
  const keys: string[] = [];
  for await (const blob of app.app.ctx.blobs.list()) keys.push(blob.key);
  return keys;
}

const fileRow = (app: TestApp, id: string) =>
  app.app.ctx.db.read.selectFrom('attachments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Copies of a file's row, without bytes, to fill the database quickly. */
async function addFiles(app: TestApp, templateId: string, count: number, eraseAfterUptime: number | null) {
  const template = await fileRow(app, templateId);
  const rows = Array.from({ length: count }, () => ({
    ...template,
    id: randomBytes(11).toString('hex'),
    erase_after_uptime: eraseAfterUptime,
  }));
  await app.app.ctx.db.write((tx) => tx.insertInto('attachments').values(rows).execute());
}

onEachEngine('the end of a file', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  const run = (name: string, isConfirmed = false) => app.app.jobs.runOnce(name, { isConfirmed });
  before(async () => {
    alice = await newPerson(app, 'alice');
    await run('erase-files');
  });

  const shareToday = () => share(alice, { link: { expires_at: dateOf(app.clock.now()) } });
  const untilTomorrow = () => Date.parse(dateOf(app.clock.now() + dayMs)) - app.clock.now();
  const isKept = async ({ attachmentId }: SharedFile) => (await fileRow(app, attachmentId)).data_key_wrapped !== null;
  const pageStatus = async (linkId: string) => (await new Visitor(app.url).get(`/link/${linkId}`)).status;

  test('comes a day of uptime after its last link expired: key first, then bytes', async () => {
    const file = await shareToday();
    const before = await blobKeys(app);
    app.clock.advance(untilTomorrow());
    assert.equal(await pageStatus(file.linkId), 410, 'access ends before any job has run');
    assert.match((await run('expire'))!, /^1 link /);
    assert.match((await run('expire'))!, /^0 links /);
    app.clock.advance(dayMs - 1);
    await run('erase-files');
    assert.ok(await isKept(file), 'the grace is not over');
    app.clock.advance(1);
    assert.equal(await run('erase-files'), '1 file erased');
    assert.ok(!(await isKept(file)));
    assert.equal((await blobKeys(app)).length, before.length, 'bytes without a key may wait');
    assert.equal(await run('remove-erased'), '1 blob removed');
    assert.equal((await blobKeys(app)).length, before.length - 1);
    assert.equal(await pageStatus(file.linkId), 410);
    await alice.refused(422, 'link.file_gone', 'updateExpiresAt', {
      params: { id: file.linkId },
      body: { expires_at: dateOf(app.clock.now() + dayMs) },
    });
  });

  test('does not come while its owner can extend the link within the grace', async () => {
    const file = await shareToday();
    app.clock.advance(untilTomorrow());
    await run('expire');
    app.clock.advance(dayMs / 2);
    await alice.expect(200, 'updateExpiresAt', {
      params: { id: file.linkId },
      body: { expires_at: dateOf(app.clock.now() + 5 * dayMs) },
    });
    app.clock.advance(2 * dayMs);
    await run('expire');
    await run('erase-files');
    assert.ok(await isKept(file));
    assert.equal(await pageStatus(file.linkId), 200);
  });

  test('does not come to a link or message that is extended while the job runs', async () => {
    const { ctx } = app.app;
    for (const table of ['file_links', 'messages'] as const) {
      const expires_at = dateOf(app.clock.now());
      const { id } =
        table === 'messages'
          ? await sendMessage(alice, { recipients: ['ben@example.com'], subject: 'S', expires_at })
          : { id: (await shareToday()).linkId };
      app.clock.advance(untilTomorrow());
      const end = app.clock.now() + 30 * dayMs;
      const later = { expires_at: end, expires_on: dateOf(end) };
      // The job has read; before it writes, the owner extends the link.
      const write: typeof ctx.db.write = async (work) => {
        await ctx.db.write((tx) => tx.updateTable(table).set(later).where('id', '=', id).execute());
        return ctx.db.write(work);
      };
      const said = await expire.run({ ...ctx, db: { ...ctx.db, write } }, { isConfirmed: false });
      assert.match(said, table === 'messages' ? /^0 links and 1 message expired/ : /^1 link and 0 messages/);
      const row = await ctx.db.read.selectFrom(table).select('state').where('id', '=', id).executeTakeFirstOrThrow();
      assert.equal(row.state, 'active', table);
    }
  });

  test('does not come while another link uses it', async () => {
    const file = await shareToday();
    const { body } = await alice.expect(200, 'createFileLink', {
      body: { link: { attachment: file.attachmentId, expires_at: dateOf(app.clock.now() + 10 * dayMs) } },
    });
    const other = (body as { link: { id: string } }).link.id;
    app.clock.advance(3 * dayMs);
    await run('expire');
    await run('erase-files');
    assert.ok(await isKept(file));
    assert.equal(await pageStatus(file.linkId), 410);
    assert.equal(await pageStatus(other), 200);
  });

  test('comes after two days for a file that was never sent, and not for one that was', async () => {
    const unsent = await alice.upload('unsent.txt', 'hello');
    const sent = await share(alice);
    app.clock.advance(2 * dayMs - 1);
    await run('erase-files');
    assert.notEqual((await fileRow(app, unsent.id)).data_key_wrapped, null);
    app.clock.advance(1);
    await run('erase-files');
    assert.equal((await fileRow(app, unsent.id)).data_key_wrapped, null);
    assert.ok(await isKept(sent));
    const { text } = await alice.expect(200, 'listAttachments');
    assert.ok(!text.includes(unsent.id));
  });

  test('comes immediately when its owner deletes the link, and releases the storage', async () => {
    const stored = async () =>
      (
        await app.app.ctx.db.read
          .selectFrom('users')
          .select('stored_bytes')
          .where('id', '=', idOf(alice))
          .executeTakeFirstOrThrow()
      ).stored_bytes;
    const before = await stored();
    const file = await share(alice, { bytes: 12_345 });
    assert.equal(await stored(), before + 12_345);
    await alice.expect(200, 'deleteFileLink', { params: { id: file.linkId } });
    assert.ok(!(await isKept(file)));
    assert.equal(await stored(), before);
  });

  test('deletes the key of a file whose chunks are still being combined as well', async () => {
    const id = await uploadChunks(alice, 'sealing.bin', [randomBytes(10), randomBytes(10)]);
    const { db } = app.app.ctx;
    const { data_key_wrapped } = await fileRow(app, id);
    await db.write(async (tx) => {
      await tx.updateTable('attachments').set({ state: 'sealing', sha256: '' }).where('id', '=', id).execute();
      await tx.updateTable('uploads').set({ state: 'sealing', data_key_wrapped }).where('id', '=', id).execute();
    });
    await alice.expect(200, 'deleteAttachment', { params: { id } });
    const upload = await db.read.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    assert.ok(upload.data_key_wrapped === null);
    app.clock.advance(2 * hourMs);
    await run('finish-uploads');
    assert.equal((await fileRow(app, id)).state, 'erased');
  });
});

onEachEngine('a clock that is set', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  const run = (name: string, isConfirmed = false) => app.app.jobs.runOnce(name, { isConfirmed });
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  test('forward, destroys nothing before the grace of uptime, and the destroying jobs stop for a confirmation', async () => {
    const group = await app.group('Short stay', { delete_inactive_user: 30 });
    const idle = await newPerson(app, 'idle', { group });
    await addFiles(app, (await alice.upload('other.txt', 'x')).id, 5, null);
    const { attachmentId } = await share(alice);
    app.clock.set(app.clock.now() + 400 * dayMs);
    await run('expire');
    for (const job of ['erase-files', 'sweep-orphans', 'purge-inactive-users'])
      assert.match((await run(job))!, /^held back: the clock was set by 576000 minutes/, job);
    assert.match((await run('erase-files'))!, /^held back/, 'the jobs stay stopped');
    assert.equal(await run('erase-files', true), '0 files erased', 'even when an operator confirms');
    assert.notEqual((await fileRow(app, attachmentId)).data_key_wrapped, null);
    const { read } = app.app.ctx.db;
    const row = await read.selectFrom('users').select('state').where('id', '=', idOf(idle)).executeTakeFirstOrThrow();
    assert.equal(row.state, 'active');
    app.clock.advance(dayMs);
    assert.equal(await run('erase-files'), '1 file erased', 'due after a day of uptime');
  });

  test('back, stops the destroying jobs as well, once uptime and clock differ', async () => {
    const app = await start();
    const run = (name: string) => app.app.jobs.runOnce(name, { isConfirmed: false });
    const destroyers = ['abandon-uploads', 'erase-files', 'sweep-orphans', 'purge-inactive-users'];
    try {
      for (const job of destroyers) assert.doesNotMatch((await run(job))!, /held back/, job);
      app.clock.set(app.clock.now() - 3 * dayMs);
      app.clock.advance(hourMs);
      for (const job of destroyers) assert.doesNotMatch((await run(job))!, /held back/, 'an hour is no jump');
      app.clock.advance(hourMs + 60_000);
      for (const job of destroyers) assert.match((await run(job))!, /^held back: the clock was set by 61 minutes/, job);
    } finally {
      await app.close();
    }
  });

  test('back, revives nothing, neither immediately nor after a restart', async () => {
    const app = await start();
    const bob = await newPerson(app, 'bob');
    const { linkId } = await share(bob, { link: { expires_at: dateOf(app.clock.now() + dayMs) } });
    const now = app.clock.now();
    app.clock.advance(3 * dayMs);
    const status = async () => (await new Visitor(app.url).get(`/link/${linkId}`)).status;
    assert.equal(await status(), 410);
    app.clock.set(now);
    assert.equal(await status(), 410);
    await app.restart();
    assert.equal(await status(), 410);
    const { body } = await bob.expect(200, 'createFileLink', {
      body: { link: { attachment: (await bob.upload('a.txt', 'x')).id } },
    });
    const { created_at } = (body as { link: { created_at: string } }).link;
    assert.ok(Date.parse(created_at) >= now + 3 * dayMs, 'time continues from where it was');
    await app.close();
  });
});

describe('the safety limit', () => {
  const isHeld = (due: number, all: number, isConfirmed = false) => {
    try {
      applySafetyLimit({ isConfirmed }, 'files', due, all);
      return false;
    } catch (error) {
      assert.ok(error instanceof HeldBack);
      return true;
    }
  };

  test('stops a run that would take more than a tenth, or more than a thousand', () => {
    assert.ok(isHeld(51, 51) && isHeld(51, 509) && isHeld(101, 1000) && isHeld(1001, 1_000_000));
  });

  test('permits few, a small share, and what an operator has confirmed', () => {
    assert.ok(!isHeld(0, 0) && !isHeld(50, 50) && !isHeld(51, 510) && !isHeld(1000, 10_000));
    assert.ok(!isHeld(5000, 5000, true));
  });
});

onEachEngine('a run that would destroy a large share', (start) => {
  test('is held until an operator confirms it, however long that takes, and then does all of it', async () => {
    const app = await start();
    try {
      const alice = await newPerson(app, 'alice');
      const template = await alice.upload('a.txt', 'x');
      await addFiles(app, template.id, 60, app.app.ctx.clock.uptime());
      const run = (isConfirmed = false) => app.app.jobs.runOnce('erase-files', { isConfirmed });
      const left = async () => {
        const rows = await app.app.ctx.db.read.selectFrom('attachments').select('state').execute();
        return rows.filter((row) => row.state !== 'erased').length;
      };
      assert.equal(await run(), 'held back: 60 of 61 files would be erased in one run');
      app.clock.advance(hourMs);
      assert.match((await run())!, /^held back/);
      await app.restart();
      assert.match((await run())!, /^held back/, 'a restart is no confirmation');
      assert.equal(await left(), 61);
      assert.equal(await run(true), '60 files erased');
      assert.equal(await left(), 1);
      assert.equal(await run(), '0 files erased', 'the job can run again');
    } finally {
      await app.close();
    }
  });
});

onEachEngine('sweeping the store', (start) => {
  let app: TestApp;
  let alice: ApiClient;
  /** The store's time for a blob; other blobs are old. */
  const writtenAt = new Map<string, number>();
  before(async () => {
    app = await start({
      wrapVault: (vault) => ({
        ...vault,
        async *list() {
          for await (const blob of vault.list()) yield { ...blob, modifiedAt: writtenAt.get(blob.key) ?? 0 };
        },
      }),
    });
    alice = await newPerson(app, 'alice');
  });
  after(() => app.close());

  const orphan = async () => {
    const { blobs, random } = app.app.ctx;
    const key = random.id();
    await blobs.receive({ key, dataKey: random.bytes(32), context: 'unknown/0' }, Readable.from([randomBytes(100)]));
    return key;
  };

  test('removes blobs without a row, but no recent ones, and nothing that a row needs', async () => {
    const whole = await share(alice, { bytes: 5000 });
    const chunks = [randomBytes(100), randomBytes(100), randomBytes(100)];
    const upload = (number: number) =>
      alice.expect(200, 'uploadForLink', {
        query: { filename: 'running.bin', chunks: '3', chunk: String(number) },
        bytes: chunks[number]!,
      });
    await upload(0);
    await upload(1);
    const [old, young] = [await orphan(), await orphan()];
    writtenAt.set(young, app.clock.now() - hourMs + 1);
    const before = new Set(await blobKeys(app));
    assert.equal(await app.app.jobs.runOnce('sweep-orphans'), '1 orphan and 0 unfinished blobs removed');
    const left = new Set(await blobKeys(app));
    before.delete(old);
    assert.deepEqual(left, before);
    const visitor = new Visitor(app.url);
    assert.deepEqual((await visitor.get(await visitor.clickDownload(whole.linkId))).bytes, whole.bytes);
    const done = await upload(2);
    assert.equal(
      (done.body as { attachment: { checksum: string } }).attachment.checksum,
      createHash('sha256').update(Buffer.concat(chunks)).digest('hex'),
    );
    writtenAt.set(young, app.clock.now() - hourMs);
    assert.match((await app.app.jobs.runOnce('sweep-orphans'))!, /^1 orphan/);
  });

  test('processes a store of more blobs than one batch', async () => {
    const live = await share(alice);
    for (let count = 0; count < 5; count++) await orphan();
    const before = (await blobKeys(app)).length;
    await app.app.jobs.runOnce('sweep-orphans');
    assert.equal((await blobKeys(app)).length, before - 5);
    const visitor = new Visitor(app.url);
    assert.equal((await visitor.get(await visitor.clickDownload(live.linkId))).status, 200);
  });

  test('retries a failing store, and other jobs continue', async (context) => {
    const file = await share(alice);
    await alice.expect(200, 'deleteFileLink', { params: { id: file.linkId } });
    const erase = context.mock.method(app.app.ctx.blobs, 'erase', async () => {
      throw new Error('the store is unreachable');
    });
    await assert.rejects(app.app.jobs.runOnce('remove-erased'), /unreachable/);
    erase.mock.restore();
    assert.equal(await app.app.jobs.runOnce('remove-erased'), '1 blob removed');
  });
});

onEachEngine('unfinished uploads', (start) => {
  const app = useApp(start, { environment: { WAYBILL_UNFINISHED_TTL: '2h', WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });
  const finish = () => app.app.jobs.runOnce('finish-uploads');
  const abandon = () => app.app.jobs.runOnce('abandon-uploads');

  test('are ended after the operator’s time without a byte: keys, bytes and storage are released', async () => {
    const sendChunk = (number: number) =>
      alice.expect(200, 'uploadForLink', {
        query: { filename: 'left.bin', chunks: '3', chunk: String(number) },
        bytes: randomBytes(1000),
      });
    const uploadId = (await sendChunk(0)).headers.get('upload-id')!;
    app.clock.advance(2 * hourMs);
    await sendChunk(1);
    app.clock.advance(2 * hourMs);
    assert.equal(await abandon(), '0 uploads abandoned');
    app.clock.advance(1);
    assert.equal(await abandon(), '1 upload abandoned');
    const { read } = app.app.ctx.db;
    const upload = await read.selectFrom('uploads').selectAll().where('id', '=', uploadId).executeTakeFirstOrThrow();
    assert.equal(upload.data_key_wrapped, null);
    const user = await read.selectFrom('users').selectAll().where('id', '=', idOf(alice)).executeTakeFirstOrThrow();
    assert.equal(user.stored_bytes, 0);
    await app.app.jobs.runOnce('remove-erased');
    assert.deepEqual(await blobKeys(app), []);
    await alice.refused(404, 'upload.not_found', 'getUpload', { params: { id: uploadId } });
  });

  const leaveSealing = async (id: string) => {
    const { data_key_wrapped } = await fileRow(app, id);
    const { crc32 } = (await findAttachment(app.app.ctx.db.read, id))!;
    await app.app.ctx.db.write(async (tx) => {
      const checksums_sealed = sealChecksums(tx.keys, { sha256: '', crc32 }, id);
      await tx
        .updateTable('attachments')
        .set({ state: 'sealing', checksums_sealed, processed_at: null })
        .where('id', '=', id)
        .execute();
      await tx.updateTable('uploads').set({ state: 'sealing', data_key_wrapped }).where('id', '=', id).execute();
    });
  };

  test('that a crash left between "all chunks received" and "ready" are finished', async () => {
    const chunks = [randomBytes(5000), randomBytes(70_000)];
    const id = await uploadChunks(alice, 'crash.bin', chunks);
    await leaveSealing(id);
    assert.equal(await finish(), '0 uploads finished', 'one that is just being sealed is left alone');
    app.clock.advance(3_000);
    assert.equal(await finish(), '0 uploads finished', 'a sign of life may be three seconds old');
    app.clock.advance(1);
    assert.equal(await finish(), '1 upload finished');
    const row = await fileRow(app, id);
    assert.equal(row.state, 'ready');
    const file = await findAttachment(app.app.ctx.db.read, id);
    assert.equal(file?.sha256, createHash('sha256').update(Buffer.concat(chunks)).digest('hex'));
  });

  test('are finished also when an earlier one cannot be read', async (context) => {
    const twice = () => [randomBytes(10), randomBytes(10)];
    const bad = await uploadChunks(alice, 'bad.bin', twice());
    app.clock.advance(10);
    const good = await uploadChunks(alice, 'good.bin', twice());
    for (const id of [bad, good]) await leaveSealing(id);
    app.clock.advance(4000);
    const { blobs } = app.app.ctx;
    const read = blobs.read.bind(blobs);
    const faulty = context.mock.method(blobs, 'read', (...[blob, range]: Parameters<typeof read>) => {
      if (blob.context.startsWith(bad)) throw new Error('the disk has a bad spot');
      return read(blob, range);
    });
    await assert.rejects(finish(), /bad spot/);
    assert.deepEqual([(await fileRow(app, bad)).state, (await fileRow(app, good)).state], ['sealing', 'ready']);
    faulty.mock.restore();
    assert.equal(await finish(), '1 upload finished');
  });
});

onEachEngine('inactive users', (start) => {
  const app = useApp(start);
  let group: string;
  before(async () => {
    group = await app.group('Short stay', { delete_inactive_user: 30 });
    await run();
  });
  const run = (isConfirmed = false) => app.app.jobs.runOnce('purge-inactive-users', { isConfirmed });
  const stateOf = async (client: ApiClient) =>
    (
      await app.app.ctx.db.read
        .selectFrom('users')
        .select('state')
        .where('id', '=', idOf(client))
        .executeTakeFirstOrThrow()
    ).state;

  test('are removed after their group’s days, with their files; others are not', async () => {
    const roots = await app.group('Idle roots', { delete_inactive_user: 30, role: 'administrator' });
    const idle = await newPerson(app, 'idle', { group });
    const busy = await newPerson(app, 'busy', { group });
    const administrator = await newPerson(app, 'sleeper', { group: roots });
    const unlimited = await newPerson(app, 'unlimited');
    const { linkId, attachmentId } = await share(idle, { link: { expires_at: dateOf(app.clock.now() + 100 * dayMs) } });
    app.clock.advance(20 * dayMs);
    await busy.expect(200, 'getAccount');
    app.clock.advance(10 * dayMs);
    assert.equal(await run(), '0 people removed');
    app.clock.advance(1);
    assert.equal(await run(), '1 person removed');
    assert.equal(await stateOf(idle), 'deleted');
    for (const client of [busy, administrator, unlimited]) assert.equal(await stateOf(client), 'active');
    assert.equal((await fileRow(app, attachmentId)).data_key_wrapped, null);
    assert.equal((await new Visitor(app.url).get(`/link/${linkId}`)).status, 410);
  });

  test('are kept when their number exceeds the safety limit', async () => {
    const { db } = app.app.ctx;
    const template = await db.read
      .selectFrom('users')
      .selectAll()
      .where('id', '=', 'busy-example-com')
      .executeTakeFirstOrThrow();
    const crowd = Array.from({ length: 60 }, (_, number) => {
      const id = `crowd-${number}`;
      return { ...template, id, email: `${id}@example.com`, last_seen_at: null, drop_name: null };
    });
    await db.write((tx) => tx.insertInto('users').values(crowd).execute());
    app.clock.advance(40 * dayMs);
    assert.match((await run())!, /^held back: 6\d of 6\d people would be erased/);
    assert.match((await run(true))!, /^6\d people removed$/);
  });
});

onOneEngine('inactive users among thousands who stay', (start) => {
  const app = useApp(start);
  const crowdOf = 5000;
  const run = () => app.app.jobs.runOnce('purge-inactive-users');

  test('are removed as soon as they are due, and not if they return just then', async () => {
    const { ctx } = app.app;
    await run();
    const group = await app.group('Short stay', { delete_inactive_user: 30 });
    const [yan, zoe] = [await newPerson(app, 'yan', { group }), await newPerson(app, 'zoe', { group })];
    const template = await ctx.db.read
      .selectFrom('users')
      .selectAll()
      .where('id', '=', idOf(yan))
      .executeTakeFirstOrThrow();
    const stayers = Array.from({ length: crowdOf }, (_, number) => {
      const [id, group_id] = [`crowd-${number}`, 'local-users'];
      return { ...template, id, group_id, email: `${id}@example.com`, drop_name: null };
    });
    await ctx.db.write(async (tx) => {
      for (let start = 0; start < crowdOf; start += 500)
        await tx
          .insertInto('users')
          .values(stayers.slice(start, start + 500))
          .execute();
    });
    app.clock.advance(31 * dayMs);
    const due = await listIdleUsers(ctx.db.read, {
      groupId: group,
      seenBefore: app.clock.now() - 30 * dayMs,
      limit: 9,
    });
    assert.deepEqual(
      due.map(({ id }) => id),
      [idOf(yan), idOf(zoe)],
    );
    await zoe.expect(200, 'getAccount');
    const removal = { groupId: group, seenBefore: app.clock.now() - 30 * dayMs };
    assert.equal(await deleteIdleUser(ctx, idOf(zoe), removal), false);
    await zoe.expect(200, 'getAccount');
    assert.equal(await run(), '1 person removed');
    await yan.refused(401, 'credentials.invalid', 'getAccount');
  });
});

onEachEngine('jobs of several processes', (start) => {
  test('are not run while another process holds their lease, and run once it has ended', async () => {
    const app = await start();
    try {
      const { db } = app.app.ctx;
      await app.app.jobs.runOnce('expire');
      const lease = { holder: 'another process', lease_ends_at: app.clock.now() + 60_000 };
      await db.write((tx) => tx.updateTable('jobs').set(lease).where('name', '=', 'expire').execute());
      assert.equal(await app.app.jobs.runOnce('expire'), null);
      app.clock.advance(60_000);
      assert.match((await app.app.jobs.runOnce('expire'))!, /^0 links /);
      await assert.rejects(app.app.jobs.runOnce('no-such-job'), /no job/);
    } finally {
      await app.close();
    }
  });
});

onEachEngine('small rows that are no longer needed', (start) => {
  test('are deleted: tickets, failed attempts, stored answers, stale reservations', async () => {
    const app = await start();
    try {
      const alice = await newPerson(app, 'alice');
      const { linkId, attachmentId } = await share(alice, { link: { password: 'open sesame' } });
      const open = await share(alice);
      await new Visitor(app.url).clickDownload(open.linkId);
      await new Visitor(app.url).submit(`/link/${linkId}/password`, { password: 'wrong' });
      await alice.expect(200, 'createFileLink', {
        body: { link: { attachment: attachmentId } },
        headers: { 'idempotency-key': 'once' },
      });
      const { db } = app.app.ctx;
      await db.write(async (tx) => {
        await tx.updateTable('users').set({ reserved_bytes: 500 }).where('id', '=', idOf(alice)).execute();
        await tx
          .insertInto('reservations')
          .values({ id: 'lost', owner_id: idOf(alice), reserved_bytes: 500, expires_at: app.clock.now(), source: '' })
          .execute();
      });
      const counts = async () => {
        const { read } = db;
        return {
          tickets: (await read.selectFrom('tickets').select('kind').execute()).length,
          attempts: (await read.selectFrom('attempts').select('key').execute()).length,
          answers: (await read.selectFrom('idempotency').select('owner_id').execute()).length,
          promises: (await read.selectFrom('reservations').select('id').execute()).length,
        };
      };
      await app.app.jobs.runOnce('tidy');
      assert.deepEqual(await counts(), { tickets: 1, attempts: 2, answers: 1, promises: 1 });
      app.clock.advance(3 * dayMs);
      await app.app.jobs.runOnce('tidy');
      assert.deepEqual(await counts(), { tickets: 0, attempts: 0, answers: 0, promises: 0 });
      const user = await db.read
        .selectFrom('users')
        .select('reserved_bytes')
        .where('id', '=', idOf(alice))
        .executeTakeFirstOrThrow();
      assert.equal(user.reserved_bytes, 0);
    } finally {
      await app.close();
    }
  });
});

test('after erasure the wrapped key of a file is nowhere in the data folder', async () => {
  const { app, store } = await startWithStore(sqliteAndDisk);
  try {
    const alice = await newPerson(app, 'alice');
    const { linkId, attachmentId } = await share(alice);
    const { data_key_wrapped } = await fileRow(app, attachmentId);
    const places = async () => {
      const folder = store.WAYBILL_DATA_DIR!;
      const names = (await readdir(folder)).filter((name) => name.startsWith('waybill.db'));
      const found = [];
      for (const name of names) if ((await readFile(join(folder, name))).includes(data_key_wrapped!)) found.push(name);
      return found;
    };
    assert.notDeepEqual(await places(), []);
    await alice.expect(200, 'deleteFileLink', { params: { id: linkId } });
    await app.app.jobs.runOnce('remove-erased');
    assert.deepEqual(await places(), []);
  } finally {
    await app.close();
  }
});

onOneEngine('an upload whose chunks a crash left half combined', (start) => {
  const app = useApp(start);

  test('is resumed automatically as soon as heartbeats are missing', async () => {
    const alice = await newPerson(app, 'alice');
    const id = await uploadChunks(alice, 'crash.bin', [randomBytes(5000), randomBytes(7000)]);
    const { data_key_wrapped } = await fileRow(app, id);
    await app.app.ctx.db.write(async (tx) => {
      await tx.updateTable('attachments').set({ state: 'sealing', sha256: '' }).where('id', '=', id).execute();
      await tx.updateTable('uploads').set({ state: 'sealing', data_key_wrapped }).where('id', '=', id).execute();
    });
    app.clock.advance(3_001);
    // The maintenance loop checks every 1.5 seconds, long before the scheduled job.
    await until(async () => (await fileRow(app, id)).state === 'ready');
  });
});
