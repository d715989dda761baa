import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { repositoryRoot } from '#scripts/source-files.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { readConfig } from '#server/config.ts';
import { findMeta } from '#server/db/system/installation.ts';
import { listHeartbeats, raiseHeartbeat } from '#server/db/system/processes.ts';
import { uptimeKey } from '#server/installation/clock.ts';
import { type MoveOptions, moveBlobs } from '#server/installation/move-blobs.ts';
import { moveDatabase } from '#server/installation/move-database.ts';
import { databaseUrl } from '#server/installation/open.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { databases, type Engine, postgresAndS3 } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { contentOf } from '#test/kit/inside.ts';
import { environmentForPrograms } from '#test/kit/outside.ts';
import { serverProgram } from '#test/kit/server-program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';

const fileBytes = 100_000;
const masterKey = randomBytes(32).toString('base64');

/** The same place for several services, one after the other. */
function at(environment: Record<string, string>): Engine {
  return { name: 'one place', create: async () => ({ environment, drop: async () => {} }) };
}

describe('moving files', { skip: findTestServers() === null ? 'needs an S3 server' : false }, () => {
  let place: Awaited<ReturnType<Engine['create']>>;
  before(async () => {
    place = await postgresAndS3.create();
  });
  after(() => place.drop());

  const contents = new Map<string, Buffer>();
  const folder = () => join(place.environment.WAYBILL_DATA_DIR!, 'files');
  const filesOnDisk = async () =>
    (await readdir(folder(), { recursive: true })).filter((path) => /^..\/\w{22}$/.test(path)).length;
  const evidenceOnDisk = async () =>
    (await readdir(join(place.environment.WAYBILL_DATA_DIR!, 'evidence'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  const settings = (storage: string, storageBefore: string) => ({
    ...place.environment,
    WAYBILL_ROLE: 'web',
    WAYBILL_STORAGE: storage,
    WAYBILL_STORAGE_BEFORE: storageBefore,
  });
  const upload = async (app: TestApp) => {
    const bytes = randomBytes(fileBytes);
    contents.set((await app.admin.upload('file.bin', bytes)).id, bytes);
  };
  const readAll = async (app: TestApp) => {
    for (const [id, bytes] of contents) assert.ok((await contentOf(app, id)).equals(bytes));
  };

  /** Kills the command as soon as it has moved a file; resolves with how long that took. */
  const killInTheMiddle = async (rateKiB: number): Promise<number> => {
    const begunAt = performance.now();
    const total = await filesOnDisk();
    const child = spawn(process.execPath, [serverProgram(), 'move-blobs', '--to', 's3', '--rate', `${rateKiB}KiB`], {
      cwd: repositoryRoot,
      env: { ...environmentForPrograms(), ...settings('s3', 'file') },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const exited = once(child, 'exit');
    await until(async () => (await filesOnDisk()) < total || child.exitCode !== null);
    const tookMs = performance.now() - begunAt;
    child.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    return tookMs;
  };

  async function during(storage: 'file' | 's3', before: 'none' | 'file' | 's3', work: (app: TestApp) => Promise<void>) {
    const app = await startTestApp(at(settings(storage, before)));
    try {
      await work(app);
    } finally {
      await app.close();
    }
  }
  const noPace: MoveOptions['pace'] = () => undefined;
  const noBeats = async () => {};
  const move = async (app: TestApp, to: 'file' | 's3', { pace = noPace, watch = noBeats } = {}) => {
    const before = to === 's3' ? 'file' : 's3';
    const config = readConfig({ ...settings(to, before), WAYBILL_MIN_FREE_SPACE: '0' });
    await moveBlobs(app.app.ctx, config, { to, pace, watch, onFile: () => {} });
  };
  const beat = async ({ app: { ctx } }: TestApp) => {
    for (const one of await listHeartbeats(ctx.db.read)) await ctx.db.write((tx) => raiseHeartbeat(tx, one));
  };

  test('works between a folder and a bucket and back, while people upload and download', async () => {
    await during('file', 'none', async (app) => {
      for (let count = 0; count < 6; count++) await upload(app);
      await app.app.jobs.runOnce('seal-events');
      const wrong = { to: 's3', pace: () => undefined, onFile: () => {} } as const;
      const config = readConfig(settings('file', 'none'));
      await assert.rejects(moveBlobs(app.app.ctx, config, wrong), /^OperatorProblem: Set WAYBILL_STORAGE=s3/);
      await until(async () => (await listHeartbeats(app.app.ctx.db.read)).length > 0);
      const onDisk = await filesOnDisk();
      await assert.rejects(
        move(app, 's3', { watch: () => beat(app) }),
        /^OperatorProblem: A process of a server runs with the settings of before\. Restart every server/,
      );
      assert.equal(await filesOnDisk(), onDisk);
      // A process that has ended without a word does not stop the move.
      await app.app.ctx.db.write((tx) => raiseHeartbeat(tx, { id: 'dead', stores: 'file none' }));
    });
    await during('s3', 'file', async (app) => {
      await readAll(app);
      // Slower than any store: without this rate a file would have been moved by then.
      const rateKiB = 32;
      const tookMs = await killInTheMiddle(rateKiB);
      assert.ok(tookMs > (fileBytes / (rateKiB * 1024)) * 1000 - 50, `a file within ${tookMs} ms`);
      assert.ok((await filesOnDisk()) > 0, 'the command was killed before its end');
      await readAll(app);
      const left = await filesOnDisk();
      const cut = () => Promise.reject(new Error('the line was cut'));
      await assert.rejects(move(app, 's3', { pace: cut }), /the line was cut/);
      assert.equal(await filesOnDisk(), left, 'files that were not copied stay');
      assert.ok((await evidenceOnDisk()).includes('checkpoint'));
      await Promise.all([move(app, 's3'), upload(app), readAll(app)]);
      await app.app.jobs.runOnce('seal-events');
      await readAll(app);
      assert.equal(await filesOnDisk(), 0);
      assert.deepEqual(await evidenceOnDisk(), []);
    });
    await during('s3', 'none', async (app) => {
      await readAll(app);
      assert.equal((await verifyLog(app.app.ctx)).fault, null);
    });
    await during('file', 's3', async (app) => {
      await Promise.all([move(app, 'file'), readAll(app)]);
      assert.equal(await filesOnDisk(), contents.size);
    });
    await during('file', 'none', async (app) => {
      await readAll(app);
      assert.equal((await verifyLog(app.app.ctx)).fault, null);
    });
  });
});

const noWatch = async () => {};

for (const from of databases) {
  // To the other kind, where there is one.
  const to = databases.find((other) => other !== from) ?? from;
  const shared = { WAYBILL_MASTER_KEY: masterKey, WAYBILL_ROLE: 'web' };
  const urlOf = ({ environment }: Awaited<ReturnType<Engine['create']>>) => databaseUrl(readConfig(environment));

  test(`a database stays in ${from.name} while a server runs over it, and when the copy differs`, async () => {
    const [source, target] = [await from.create('migrated'), await to.create('migrated')];
    try {
      const app = await startTestApp(at({ ...source.environment, ...shared }));
      const { db } = app.app.ctx;
      const watch = async () => {
        const before = await findMeta(db.read, uptimeKey);
        app.clock.advance(5000);
        await until(async () => (await findMeta(db.read, uptimeKey)) !== before);
      };
      const stillRuns = /^OperatorProblem: A server is running over this database\. Stop every server/;
      await assert.rejects(moveDatabase(urlOf(source), urlOf(target), watch), stillRuns);
      await app.close();
      await disturb(urlOf(target));
      const differs = /^OperatorProblem: The copy is not the same: the table users has 1 row here and 1 there/;
      await assert.rejects(moveDatabase(urlOf(source), urlOf(target), noWatch), differs);
      const again = await startTestApp(at({ ...source.environment, ...shared }));
      assert.doesNotMatch(String(await again.app.jobs.runOnce('tidy')), /^paused/, 'the source is still in use');
      await again.close();
    } finally {
      await source.drop();
      await target.drop();
    }
  });

  test(`a database moves from ${from.name} to ${to.name}, and only into an empty one`, async () => {
    const [source, target] = [await from.create(), await to.create()];
    try {
      const app = await startTestApp(at({ ...source.environment, ...shared }));
      const bytes = randomBytes(10_000);
      const { id } = await app.admin.upload('moved.bin', bytes);
      const [fromUrl, toUrl] = [urlOf(source), urlOf(target)];
      await app.close();
      const { rows } = await moveDatabase(fromUrl, toUrl, noWatch);
      assert.ok(rows > 10);
      await assert.rejects(moveDatabase(fromUrl, toUrl, noWatch), /The target is in use/);
      const storage = { WAYBILL_STORAGE_DIR: join(source.environment.WAYBILL_DATA_DIR!, 'files') };
      const moved = await startTestApp(at({ ...target.environment, ...shared, ...storage }));
      assert.ok((await contentOf(moved, id)).equals(bytes));
      assert.doesNotMatch(String(await moved.app.jobs.runOnce('tidy')), /^paused/, 'the target is in use now');
      await moved.close();
      const old = await startTestApp(at({ ...source.environment, ...shared }));
      assert.match(String(await old.app.jobs.runOnce('tidy')), /^paused: This database was moved/);
      await old.close();
    } finally {
      await source.drop();
      await target.drop();
    }
  });
}

/** Changes a row of the copy whenever one is written. */
async function disturb(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    using database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec("create trigger disturb after insert on users begin update users set name = 'X'; end");
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("create rule disturb as on insert to users do also update users set name = 'X'");
  await client.end();
}
