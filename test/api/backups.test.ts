import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { visitOneTimeLink } from '#server/actions/sessions/one-time-links.ts';
import { createRecoveryLink } from '#server/actions/sessions/operator-links.ts';
import { readConfig } from '#server/config.ts';
import { openDatabase } from '#server/db/open.ts';
import { findMeta, setMeta } from '#server/db/system/installation.ts';
import { keyCheck } from '#server/installation/keys.ts';
import {
  type OpenedBackup,
  type RestoreOptions,
  restoreBackup,
  restoreDatabase,
} from '#server/installation/restore.ts';
import { createRandom } from '#server/lib/ids.ts';
import { OperatorProblem } from '#server/lib/operator-problem.ts';
import { onEachEngine, startTestApp, type TestApp, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { download } from '#test/kit/downloads.ts';
import { type Engine, sqliteAndDisk } from '#test/kit/engines.ts';
import { contentOf, storedBlobs } from '#test/kit/inside.ts';
import { sendMessage } from '#test/kit/messages.ts';

const masterKey = randomBytes(32).toString('base64');
const dayMs = 86_400_000;
const canary = 'kanarienvogel';

onEachEngine('backups', (start, engine) => {
  let folder: string;
  let alice: ApiClient;
  let attachmentId: string;
  let linkId: string;
  const content = randomBytes(300_000);
  const app = {} as TestApp;
  const drops: (() => Promise<void>)[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-backups-'));
    const environment = {
      WAYBILL_MASTER_KEY: masterKey,
      WAYBILL_BACKUP_DIR: folder,
      WAYBILL_BACKUP_KEEP: '2',
      WAYBILL_BACKUP_KEEP_WEEKS: '0',
      WAYBILL_ROLE: 'web',
    };
    await start({ into: app, environment });
    alice = await app.person('alice', { email: `alice@${canary}.example` });
    attachmentId = (await alice.upload(`${canary}.bin`, content)).id;
    const { body } = await alice.expect(200, 'createFileLink', { body: { link: { attachment: attachmentId } } });
    linkId = (body as { link: { id: string } }).link.id;
    await app.app.jobs.runOnce('seal-events');
  });
  after(async () => {
    await app.close();
    for (const drop of drops) await drop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (name: string) => app.app.jobs.runOnce(name);
  const snapshots = async () => (await readdir(join(folder, 'snapshots'))).sort();

  async function emptyPlace(on: Engine = engine): Promise<Engine & { environment: Record<string, string> }> {
    const place = await on.create();
    drops.push(place.drop);
    const environment = { ...place.environment, WAYBILL_MASTER_KEY: masterKey, WAYBILL_MIN_FREE_SPACE: '0' };
    return { name: on.name, environment, create: async () => ({ environment, drop: async () => {} }) };
  }

  const restore = (environment: Record<string, string>, options: Partial<RestoreOptions> = {}) =>
    restoreBackup(readConfig(environment), {
      dir: folder,
      snapshotId: null,
      hasFiles: true,
      random: createRandom(),
      now: app.clock.now(),
      ...options,
    });

  test('a backup made under load is restored whole into an empty place, and stays in quarantine there', async () => {
    const reset = await createRecoveryLink(app.app.ctx, alice.email, { withoutSecondStep: false });
    const account = (await alice.expect(200, 'getAccount')).body as { user: { filedrop_url: string } };
    const name = account.user.filedrop_url.split('/').at(-1)!;
    await app.anonymous.expect(200, 'getFiledrop', { params: { name } });
    await app.anonymous.expect(200, 'startPairing', { body: { pairing: { name: 'A program' } } });
    await sendMessage(alice, { recipients: ['ben@quay.example', 'kim@quay.example'], send_email: true });
    const uploads = Array.from({ length: 12 }, (_, n) => alice.upload(`load-${n}.bin`, randomBytes(50_000)));
    assert.match((await run('back-up'))!, /^\d{8}T\d{9}Z: \d+ files?$/);
    await Promise.all(uploads);
    const place = await emptyPlace();
    const { missingFiles, files } = await restore(place.environment);
    assert.equal(missingFiles, 0);
    const copy = await startTestApp(place, { environment: { WAYBILL_ROLE: 'web' } });
    try {
      assert.deepEqual(await contentOf(copy, attachmentId), content);
      const fetched = await download(copy.url, linkId);
      assert.ok(fetched.isWhole && fetched.bytes.equals(content));
      assert.equal((await storedBlobs(copy)).length, files);
      const { body } = await copy.admin.expect(200, 'getOverview');
      const topics = (body as { overview: { attention: { topic: string }[] } }).overview.attention;
      assert.ok(topics.some(({ topic }) => topic === 'quarantined'));
      assert.match(String(await copy.app.jobs.runOnce('send-outbox')), /^paused: This installation was restored/);
      const { read } = copy.app.ctx.db;
      const mail = (await copy.admin.expect(200, 'getMailDelivery')).body as {
        mail: { held: number; refused_today: number };
      };
      const held = (await copy.admin.expect(200, 'listMails', { query: { state: 'held' } })).body as {
        mails: { id: string; state: string }[];
      };
      assert.ok(held.mails.length >= 2 && held.mails.every(({ state }) => state === 'held'));
      assert.deepEqual([mail.mail.held, mail.mail.refused_today], [held.mails.length, 0]);
      assert.ok(!topics.some(({ topic }) => topic === 'mail-refused'));
      await copy.admin.expect(200, 'retryMail', { params: { id: held.mails[0]!.id } });
      await copy.admin.expect(200, 'dropMail', { params: { id: held.mails[1]!.id } });
      for (const table of ['sessions', 'pairings'] as const)
        assert.equal((await read.selectFrom(table).selectAll().execute()).length, 0, table);
      // The original may have used these links since, and each of them works once.
      assert.equal((await visitOneTimeLink(copy.app.ctx, reset.split('/').at(-1)!)).is, 'used');
      const keys = await read.selectFrom('drop_keys').select('state').execute();
      assert.deepEqual(keys, [{ state: 'used' }]);
      assert.match(String(await run('seal-events')), /\d/);
    } finally {
      await copy.close();
    }
    await assert.rejects(restore(place.environment), (error: Error) => {
      assert.ok(error instanceof OperatorProblem);
      assert.match(error.message, /^The database is not empty/);
      return true;
    });
  });

  test('no file in the folder can be read without the key', async () => {
    assert.equal((await stat(join(folder, 'snapshots'))).mode & 0o7777, 0o700);
    for (const path of await readdir(folder, { recursive: true })) {
      const place = join(folder, path);
      if (!(await stat(place)).isFile()) continue;
      assert.equal((await stat(place)).mode & 0o077, 0, path);
      const bytes = await readFile(place);
      for (const secret of [Buffer.from(canary), content.subarray(1000, 1032), Buffer.from(masterKey)])
        assert.equal(bytes.indexOf(secret), -1, path);
    }
  });

  test('the next backup copies only what is new; old ones are removed, with files that no other needs', async () => {
    const { id: brief } = await alice.upload('brief.bin', randomBytes(10_000));
    app.clock.advance(dayMs);
    await run('back-up');
    const savedFiles = async () =>
      (await readdir(join(folder, 'files'), { recursive: true })).filter((path) => /^..\/\w{22}$/.test(path)).length;
    const withBrief = await savedFiles();
    assert.equal((await snapshots()).length, 2);
    assert.equal(await run('back-up'), 'not due');
    await app.app.ctx.db.write(async (tx) => {
      await tx.deleteFrom('parts').where('upload_id', '=', brief).execute();
      await tx.updateTable('attachments').set({ state: 'erased' }).where('id', '=', brief).execute();
    });
    // First the older of the two retained ones still needs it, then none.
    for (const files of [withBrief, withBrief - 1]) {
      app.clock.advance(dayMs);
      await run('back-up');
      assert.equal((await snapshots()).length, 2);
      assert.equal(await savedFiles(), files);
    }
  });

  test('a restore test restores the last backup and reads every file; the console shows both', async () => {
    assert.match(String(await run('restore-drill')), /^\d{8}T\d{9}Z: 13 files$/);
    assert.equal(await run('restore-drill'), 'not due');
    const { body } = await app.admin.expect(200, 'getSystem');
    const { backups } = (body as { system: { backups: Record<string, { failure: string; files: number }> } }).system;
    assert.deepEqual([backups.last_backup!.failure, backups.last_drill!.failure], ['', '']);
    assert.equal(backups.last_drill!.files, 13);
  });

  testOnce('runs are listed for 400 days', async () => {
    const { db } = app.app.ctx;
    const startedAt = async () =>
      (await db.read.selectFrom('backup_runs').select('started_at').orderBy('started_at').execute()).map((row) =>
        Number(row.started_at),
      );
    app.clock.advance(dayMs);
    const finished = app.clock.now() - 400 * dayMs;
    const run = (await db.read.selectFrom('backup_runs').selectAll().limit(1).executeTakeFirst())!;
    const older = [finished - 1, finished].map((at) => ({ ...run, started_at: at, finished_at: at }));
    await db.write((tx) => tx.insertInto('backup_runs').values(older).execute());
    await app.app.jobs.runOnce('back-up');
    const left = await startedAt();
    assert.deepEqual([left.includes(finished - 1), left.includes(finished)], [false, true]);
  });

  test('nothing is removed from the store while a backup runs', async () => {
    const { db, clock } = app.app.ctx;
    const hold = (until: number) =>
      db.write((tx) => tx.updateTable('jobs').set({ lease_ends_at: until }).where('name', '=', 'back-up').execute());
    await hold(clock.now() + 10_000);
    assert.match(String(await run('remove-erased')), /waits for a backup$/);
    await hold(0);
    assert.match(String(await run('remove-erased')), /blobs removed$/);
  });

  test('a backup of one kind of database and store is restored into another', async () => {
    const place = await emptyPlace(sqliteAndDisk);
    await writeFile(join(place.environment.WAYBILL_DATA_DIR!, 'notes.txt'), 'not ours');
    await restore(place.environment);
    await assert.rejects(restore(place.environment, { snapshotId: '20200101T000000000Z' }), /There is no snapshot/);
  });

  testOnce('what cannot be restored is refused with the reason', async () => {
    const { environment } = await emptyPlace(sqliteAndDisk);
    await assert.rejects(restore(environment, { dir: join(folder, 'nowhere') }), /There is no backup in/);
    await mkdir(join(folder, 'other', 'snapshots'), { recursive: true });
    await assert.rejects(restore(environment, { dir: join(folder, 'other') }), /There is no finished backup in/);
    const names = await readdir(join(folder, 'files'), { recursive: true });
    const saved = join(folder, 'files', names.find((name) => /^..\/\w{22}$/.test(name))!);
    await rename(saved, `${saved}.away`);
    await mkdir(saved);
    await assert.rejects(restore(environment), /the file system said EISDIR/, 'not the same as one that is missing');
    await rm(saved, { recursive: true });
    await rename(`${saved}.away`, saved);
    const db = await openDatabase(`sqlite:${join(environment.WAYBILL_DATA_DIR!, 'later.db')}`);
    const later = { manifest: { contents: { migrations: ['9999-later'], tables: [] } } } as unknown as OpenedBackup;
    await assert.rejects(
      restoreDatabase(later, db, async () => {}),
      (error) => error instanceof OperatorProblem && error.message.includes('9999-later'),
    );
    await db.close();
    const wrongKey = { ...environment, WAYBILL_MASTER_KEY: randomBytes(32).toString('base64') };
    await assert.rejects(restore(wrongKey), /was made with another master key/);
    const store = join(environment.WAYBILL_DATA_DIR!, 'files', 'ab');
    await mkdir(store, { recursive: true });
    await writeFile(join(store, `ab${'x'.repeat(20)}`), 'not ours');
    await assert.rejects(restore(environment), /The store is not empty/);
    const { files, missingFiles } = await restore(environment, { hasFiles: false });
    assert.deepEqual([files, missingFiles], [0, 0]);
  });

  testOnce('no backup is made with a master key that is not the one of the database', async () => {
    const { db } = app.app.ctx;
    const check = (await findMeta(db.read, keyCheck))!;
    await db.write((tx) => setMeta(tx, keyCheck, 'of another key'));
    app.clock.advance(dayMs);
    const before = await snapshots();
    await assert.rejects(
      run('back-up'),
      /The master key was changed on another machine\. Copy the key file from there/,
    );
    assert.deepEqual(await snapshots(), before);
    await db.write((tx) => setMeta(tx, keyCheck, check));
  });

  testOnce('a damaged backup is found by the restore test and reported to administrators', async () => {
    const [path] = (await readdir(join(folder, 'files'), { recursive: true })).filter((name) =>
      /^..\/\w{22}$/.test(name),
    );
    const place = join(folder, 'files', path!);
    const bytes = await readFile(place);
    bytes[bytes.length - 20]! ^= 1;
    await writeFile(place, bytes);
    app.clock.advance(8 * dayMs);
    await assert.rejects(run('restore-drill'), /The file \w+ is damaged/);
    await run('watch-health');
    const mails = await app.app.ctx.db.read.selectFrom('outbox').select('kind').execute();
    assert.ok(mails.some(({ kind }) => kind === 'admin-alert'));
    const { body } = await app.admin.expect(200, 'getOverview');
    const { attention } = (body as { overview: { attention: { topic: string; detail: string }[] } }).overview;
    assert.match(attention.find(({ topic }) => topic === 'drill-failed')!.detail, /is damaged/);
    // The last backup is older than a week now.
    assert.ok(attention.some(({ topic }) => topic === 'backup-failed'));
  });
});
