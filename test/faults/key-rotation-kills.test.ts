// `waybill-server key rotate` killed repeatedly under load: no request fails, everything stays readable, the old key is
// obsolete.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryRoot } from '#scripts/source-files.ts';
import { readConfig } from '#server/config.ts';
import { findMeta } from '#server/db/system/installation.ts';
import { withDatabase } from '#server/installation/open.ts';
import { download } from '#test/kit/downloads.ts';
import { databases } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { serverProgram } from '#test/kit/server-program.ts';

for (const engine of databases) {
  describe(`kills of key rotate (${engine.name})`, () => {
    test('under load, killed at any step and run again, it makes everything readable by the new key alone', async () => {
      const place = await createInstallation(engine, { WAYBILL_WORKERS: '1' });
      try {
        const program = await place.start();
        const keyFile = join(place.environment.WAYBILL_DATA_DIR!, 'master.key');
        const first = readFileSync(keyFile, 'utf8');
        const load = startLoad(place);
        const keysInFile = () => readFileSync(keyFile, 'utf8').trim().split('\n').length;
        await killAt(place, async () => keysInFile() === 2);
        await killAt(place, async () => (await meta(place, 'key_rotation')) !== null);
        await killAt(place, async () => existsSync(`${keyFile}.before`));
        // The last kill may have come too late.
        if (keysInFile() === 2) {
          const { code, output, errors } = await place.run(['key', 'rotate']);
          assert.equal(code, 0, errors);
          assert.match(output, /^✓ .*master\.key has the new key\./);
        }
        const contents = await load.stop();
        assert.equal(readFileSync(`${keyFile}.before`, 'utf8'), first);
        const now = readFileSync(keyFile, 'utf8');
        assert.ok(!now.includes(first.trim()) && now.trim().length === 44);
        program.signal('SIGTERM');
        await program.exited;
        await rm(`${keyFile}.before`);
        await place.start();
        for (const [id, bytes] of contents) assert.ok((await read(place, id)).equals(bytes));
        assert.equal((await place.runInside(['verify'])).code, 0);
      } finally {
        await place.drop();
      }
    });
  });
}

/** Starts the command and kills it shortly after the state is reached, unless it has ended. */
async function killAt(place: Installation, isThere: () => Promise<boolean>): Promise<void> {
  const env = { ...process.env, ...place.environment };
  const child = spawn(process.execPath, [serverProgram(), 'key', 'rotate'], {
    cwd: repositoryRoot,
    env,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await eventually('it has come so far', async () => child.exitCode !== null || (await isThere()));
  await pause(randomInt(60)); // the random moment
  child.kill('SIGKILL');
  await exited;
}

function meta(place: Installation, key: string): Promise<string | null> {
  return withDatabase(readConfig(place.environment), (db) => findMeta(db.read, key));
}

/** Uploads, and reads earlier uploads; ends at the first request that fails. */
function startLoad(place: Installation): { stop(): Promise<Map<string, Buffer>> } {
  const contents = new Map<string, Buffer>();
  let isStopping = false;
  const work = async () => {
    while (!isStopping) {
      const bytes = randomBytes(randomInt(1, 40_000));
      const { id } = await place.admin.upload('file.bin', bytes);
      const { body } = await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
      const link = (body as { link: { id: string } }).link.id;
      contents.set(link, bytes);
      const [other, expected] = [...contents][randomInt(contents.size)]!;
      assert.ok((await read(place, other)).equals(expected));
      await pause(400); // light load, because the command waits long
    }
  };
  const done = work();
  // `stop` reports it, because a rejection would be unhandled.
  done.catch(() => {});
  return {
    async stop() {
      isStopping = true;
      await done;
      return contents;
    },
  };
}

async function read(place: Installation, linkId: string): Promise<Buffer> {
  const { status, bytes } = await download(place.url, linkId);
  assert.equal(status, 200);
  return bytes;
}
