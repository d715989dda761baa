// Backups and restores killed midway: the next run succeeds, and no partial result counts as complete.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { openDatabase } from '#server/db/open.ts';
import { backUpJob } from '#server/db/system/jobs.ts';
import { someBytes } from '#test/kit/content.ts';
import { engines } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { serverProgram } from '#test/kit/server-program.ts';

const masterKey = Buffer.alloc(32, 7).toString('base64');
const fileCount = 12;

for (const engine of engines) {
  describe(`kills of backups and restores (${engine.name})`, () => {
    let place: Installation;
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'waybill-kills-'));
      place = await createInstallation(engine, { WAYBILL_WORKERS: '1', WAYBILL_MASTER_KEY: masterKey });
      // The backups below run while this service runs.
      await place.start();
      for (let n = 0; n < fileCount; n++) await place.admin.upload(`${n}.bin`, someBytes(200_000, n + 1));
    });
    after(async () => {
      await place.drop();
      await rm(folder, { recursive: true, force: true });
    });

    /** Starts a command and kills it as soon as the state is reached, or it has ended. */
    async function killAt(args: string[], environment: Record<string, string>, isThere: () => boolean): Promise<void> {
      const env = { ...process.env, ...place.environment, ...environment };
      const child = spawn(process.execPath, [serverProgram(), ...args], { cwd: repositoryRoot, env, stdio: 'ignore' });
      const exited = once(child, 'exit');
      await eventually('it has begun', async () => isThere() || child.exitCode !== null);
      child.kill('SIGKILL');
      await exited;
    }

    const filesIn = (path: string) => existsSync(path) && existsSync(join(path, 'tmp'));

    test('a killed backup does not count, and the next one is complete', async () => {
      await killAt(['backup', '--to', folder], {}, () => filesIn(join(folder, 'files')));
      const env = { WAYBILL_BACKUP_KEEP: '1', WAYBILL_BACKUP_KEEP_WEEKS: '0' };
      await untilLeaseEnds(place.environment);
      assert.equal((await place.runInside(['backup', '--to', folder], env)).code, 0);
      assert.equal((await readdir(join(folder, 'snapshots'))).length, 1, 'the other is removed');
      const verified = await place.runInside(['verify', '--backup', folder]);
      assert.match(
        verified.output,
        new RegExp(`^✓ .* ${fileCount} of ${fileCount} files read; everything is as it was saved`),
      );
      assert.equal(verified.code, 0);
    });

    test('the next restore resumes a killed one', async () => {
      const target = await engine.create();
      try {
        const { environment } = target;
        const store = join(environment.WAYBILL_DATA_DIR!, environment.WAYBILL_STORAGE === 's3' ? '' : 'files');
        await killAt(
          ['restore', '--from', folder],
          environment,
          () => filesIn(store) || existsSync(join(environment.WAYBILL_DATA_DIR!, 'evidence')),
        );
        const restored = await place.runInside(['restore', '--from', folder], environment);
        // The restore may have finished before the kill; then the target is not empty.
        assert.match(restored.output + restored.errors, /✓ Restored as it was at|The database is not empty/);
        const verified = await place.runInside(['verify'], environment);
        assert.deepEqual(
          [verified.code, verified.output],
          [0, `${fileCount} files read: 0 damaged, 0 missing, 0 wrong marks taken back\n`],
        );
        const waits = await place.runInside(['quarantine'], environment);
        assert.match(waits.output, /^! This installation was restored from a backup/);
      } finally {
        await target.drop();
      }
    });
  });
}

/** The lease of a killed backup expires. Asks the database, because retrying the command would start twenty processes. */
async function untilLeaseEnds(environment: Record<string, string>): Promise<void> {
  const url = environment.WAYBILL_DATABASE_URL ?? `sqlite:${join(environment.WAYBILL_DATA_DIR!, 'waybill.db')}`;
  const db = await openDatabase(url, { silenceMs: 0 });
  try {
    const lease = db.read.selectFrom('jobs').select('lease_ends_at').where('name', '=', backUpJob);
    await eventually('the lease ends', async () => {
      const { lease_ends_at: endsAt } = await lease.executeTakeFirstOrThrow();
      return endsAt <= Date.now();
    });
  } finally {
    await db.close();
  }
}
