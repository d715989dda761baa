import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type TestDatabase, testDialects } from '#test/kit/databases.ts';
import { migrateDatabase, openDatabase } from '../db/open.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { listKeyEncryptionKeys } from '../db/system/installation.ts';
import { manualClock } from '../lib/clock.ts';
import { createRandom } from '../lib/ids.ts';
import { MasterKeyProblem } from '../lib/master-key.ts';
import { openClock } from './clock.ts';
import { openKeys } from './keys.ts';

const machineCount = 3;

/** Resolves when all have arrived. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = count;
  return () => {
    missing -= 1;
    if (missing === 0) resolve();
    return promise;
  };
}

/** Delays the first write until all have read, so that they race on every run. */
function readingFirst(db: LockedDb, together: () => Promise<void>): LockedDb {
  let met: Promise<void> | null = null;
  return {
    ...db,
    async write(work) {
      met ??= together();
      await met;
      return db.write(work);
    },
  };
}

for (const { dialect, create } of testDialects()) {
  describe(`the keys of an installation on ${dialect}`, () => {
    let database: TestDatabase;
    let machines: LockedDb[];
    let folder: string;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'waybill-keys-'));
      database = await create();
      machines = [];
      for (let count = 0; count < machineCount; count++) machines.push(await openDatabase(database.url));
      await Promise.all(machines.map((db) => migrateDatabase(db)));
    });
    after(async () => {
      for (const db of machines) await db.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    const pathOf = (machine: number) => join(folder, `${machine}`, 'master.key');
    async function start(machine: number, path: string, db = machines[machine]!) {
      const random = createRandom();
      const clock = await openClock(machines[machine]!, manualClock(1_000));
      return openKeys({ masterKey: null, masterKeyFile: path }, db, { random, clock });
    }

    test('of machines that start together with different keys one succeeds, and the others say where to copy its key', async () => {
      const together = meeting(machines.length);
      const starts = await Promise.allSettled(
        machines.map((db, machine) => start(machine, pathOf(machine), readingFirst(db, together))),
      );
      const winners = starts.flatMap(({ status }, machine) => (status === 'fulfilled' ? [machine] : []));
      assert.equal(winners.length, 1);
      for (const [machine, result] of starts.entries()) {
        if (result.status === 'fulfilled') continue;
        assert.ok(result.reason instanceof MasterKeyProblem, String(result.reason));
        assert.match(result.reason.message, /Another machine/);
        assert.ok(result.reason.message.includes(pathOf(machine)));
        assert.ok(!existsSync(pathOf(machine)), 'an unused key is left behind');
      }
      assert.equal((await listKeyEncryptionKeys(machines[0]!.read)).length, 1);
      const winner = winners[0]!;
      const key = readFileSync(pathOf(winner), 'utf8');
      const again = await start(winner, pathOf(winner));
      assert.equal(again.createdKeyFile, null);
      assert.equal(readFileSync(pathOf(winner), 'utf8'), key);
    });
  });
}

test('processes that start together in one folder create one key', async () => {
  const [{ create }] = testDialects() as [ReturnType<typeof testDialects>[0]];
  const folder = mkdtempSync(join(tmpdir(), 'waybill-keys-'));
  const database = await create();
  const processes = [await openDatabase(database.url), await openDatabase(database.url)];
  try {
    await migrateDatabase(processes[0]!);
    const opened = await Promise.all(
      processes.map(async (db) => {
        const clock = await openClock(db, manualClock(1_000));
        return openKeys({ masterKey: null, masterKeyFile: join(folder, 'master.key') }, db, {
          random: createRandom(),
          clock,
        });
      }),
    );
    const [one, other] = opened.map(({ keys }) => keys.hash('key-check', 'same').toString('hex'));
    assert.equal(one, other);
    assert.equal(opened.filter(({ createdKeyFile }) => createdKeyFile !== null).length, 1);
  } finally {
    for (const db of processes) await db.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});
