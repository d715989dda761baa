// A full file system for database and files: requests are refused, acknowledged data survives, and work continues once
// there is space.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { checkBytes, checkLists, Ledger } from '#test/faults/kill-ledger.ts';
import { startLoad } from '#test/faults/kill-load.ts';
import { checkRemains } from '#test/faults/kill-rounds.ts';
import type { Engine } from '#test/kit/engines.ts';
import { clocked, eventually } from '#test/kit/eventually.ts';
import { createInstallation } from '#test/kit/program.ts';

const run = promisify(execFile);
const megabyte = 1024 * 1024;

const smallDisk: Engine = {
  name: 'a small disk',
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-full-'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=0700', 'waybill-test', folder]);
    return {
      environment: { WAYBILL_DATA_DIR: folder },
      async drop() {
        await run('umount', ['--lazy', folder]);
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

describe('a full disk', { skip: process.getuid?.() !== 0 && 'only root can mount a small disk' }, () => {
  test('under load: refused with 507 or 503, recovers once there is space, no acknowledged data lost', async (context) => {
    const place = await createInstallation(smallDisk);
    const ledger = new Ledger();
    try {
      const program = await place.start();
      const ballast = join(place.environment.WAYBILL_DATA_DIR!, 'ballast');
      for (let round = 0; round < 2; round++) {
        const load = startLoad(place.admin, ledger, { restMs: 100 });
        const enough = ledger.files.size + 3;
        await eventually('the load has got going', async () => ledger.files.size >= enough || load.faults.length > 0);
        const upload = async (name: string) => {
          const [query, headers, bytes] = [{ filename: name }, { connection: 'close' }, randomBytes(megabyte)];
          ledger.attempt(bytes);
          return (await place.admin.call('uploadForLink', { query, bytes, headers })).status;
        };
        // Bounds depend on the speed of the machine.
        const limitMs = 5_000 + 20 * (await clocked(() => place.admin.expect(200, 'getAccount')));
        const within = async (what: string, isSo: () => Promise<boolean>) => {
          const tookMs = await clocked(() => eventually(what, isSo));
          context.diagnostic(`${what} after ${Math.round(tookMs)} ms`);
          assert.ok(tookMs < limitMs, `${what} after ${tookMs} ms, and ${limitMs} are permitted`);
        };
        await fill(ballast);
        await within('uploads are refused', async () => [507, 503].includes(await upload('too-much.bin')));
        await rm(ballast);
        await within('files are taken again', async () => (await upload('enough-room.bin')) === 200);
        const more = ledger.files.size + 3;
        await eventually('the load continues', async () => ledger.files.size >= more || load.faults.length > 0);
        await load.stop();
        assert.deepEqual(load.faults, []);
        await checkLists(ledger, place.admin);
      }
      await checkBytes(ledger, place.admin);
      program.signal('SIGTERM');
      assert.equal((await program.exited).code, 0);
      await checkRemains(place);
    } finally {
      await place.drop();
    }
  });
});

/** Fills the last byte. */
async function fill(path: string): Promise<void> {
  for (const bytes of [Buffer.alloc(megabyte), Buffer.alloc(4096)])
    for (;;) {
      try {
        await appendFile(path, bytes);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
        break;
      }
    }
}
