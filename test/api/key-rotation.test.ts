import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '#server/config.ts';
import { keySettleMs, keyUseAgeMs } from '#server/installation/keys.ts';
import { withDatabase } from '#server/installation/open.ts';
import { type RotationStep, rotateMasterKey, rotationSteps } from '#server/installation/rotate-key.ts';
import { createRandom } from '#server/lib/ids.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { databases } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { attachmentRow, contentOf } from '#test/kit/inside.ts';

for (const engine of databases) {
  describe(`key rotate (${engine.name})`, () => {
    test('leaves everything readable when stopped after any step, here and in a new process, and continues', async () => {
      const place = await engine.create('migrated');
      const at = { name: 'one place', create: async () => ({ ...place, drop: async () => {} }) };
      const config = readConfig(place.environment);
      const contents = new Map<string, Buffer>();
      const start = () => startTestApp(at, { environment: { WAYBILL_ROLE: 'web' } });
      const upload = async (app: TestApp) => {
        const bytes = randomBytes(2000);
        const { id } = await app.admin.upload('file.bin', bytes);
        contents.set(id, bytes);
        return (await attachmentRow(app, id)).key_encryption_key_id;
      };
      const readAll = async (app: TestApp) => {
        for (const [id, bytes] of contents) assert.ok((await contentOf(app, id)).equals(bytes));
        // The name of a person and the key of the administrator are read with keys that the first key derives.
        await app.admin.expect(200, 'getAccount');
      };
      const running = await start();
      const keyFile = join(place.environment.WAYBILL_DATA_DIR!, 'master.key');
      const first = await readFile(keyFile, 'utf8');
      await upload(running);
      const waits: number[] = [];
      const rotate = (last: RotationStep) => {
        const settle = async (ms: number) => void waits.push(ms);
        const tools = { config, random: createRandom(), now: running.clock.now, settle };
        return withDatabase(config, (db) => rotateMasterKey({ ...tools, db }, last));
      };
      try {
        for (const step of rotationSteps) {
          await rotate(step);
          running.clock.advance(keyUseAgeMs);
          const started = await start();
          started.clock.advance(running.clock.now() - started.clock.now());
          assert.ok((await upload(started)) <= 2);
          // Its clock has moved since it started; it refreshes its keys by its own timer.
          if (step === 'database' || step === 'new key alone') await until(async () => (await upload(started)) === 2);
          await readAll(started);
          await started.close();
          await until(async () => readAll(running).then(() => true));
          assert.ok((await upload(running)) <= 2);
        }
        // Every server must have read the new key before it is needed; a resumed run does not wait again.
        assert.deepEqual([waits[0], ...new Set(waits.slice(1))], [keySettleMs, 0]);
        assert.notEqual(await readFile(keyFile, 'utf8'), first);
        // Again: the process that has run since before both keys reads what others write under the third one.
        await rotate('new key alone');
        assert.equal(await readFile(`${keyFile}.before.1`, 'utf8'), first, 'older backups need this key');
        running.clock.advance(keyUseAgeMs);
        const started = await start();
        started.clock.advance(running.clock.now() - started.clock.now());
        await until(async () => (await upload(started)) === 3);
        await started.close();
        await until(async () => readAll(running).then(() => true));
        await running.restart();
        await readAll(running);
      } finally {
        await running.close();
        await place.drop();
      }
    });

    test('a key that is not in a file is left to the operator', async () => {
      const place = await engine.create('migrated');
      const app = await startTestApp(
        { name: 'one place', create: async () => place },
        { environment: { WAYBILL_ROLE: 'web' } },
      );
      const keyFile = join(place.environment.WAYBILL_DATA_DIR!, 'master.key');
      const key = await readFile(keyFile, 'utf8');
      const given = readConfig({ ...place.environment, WAYBILL_MASTER_KEY: key.trim() });
      const config = { masterKey: given.masterKey, masterKeyFile: keyFile };
      assert.notEqual(config.masterKey, null);
      try {
        const tools = { config, random: createRandom(), now: app.clock.now, settle: async () => {} };
        await assert.rejects(
          withDatabase(given, (db) => rotateMasterKey({ ...tools, db })),
          /^MasterKeyProblem: The master key is in WAYBILL_MASTER_KEY\. Put it into a file/,
        );
        assert.equal(await readFile(keyFile, 'utf8'), key);
      } finally {
        await app.close();
      }
    });

    test('a change that would lose a key is refused, and changes nothing', async () => {
      const place = await engine.create('migrated');
      const { environment } = place;
      const app = await startTestApp(
        { name: 'one place', create: async () => place },
        { environment: { WAYBILL_ROLE: 'web' } },
      );
      const keyFile = join(environment.WAYBILL_DATA_DIR!, 'master.key');
      const rotate = (path: string, last: RotationStep, settle = async () => {}) =>
        withDatabase(readConfig({ ...environment, WAYBILL_MASTER_KEY_FILE: path }), (db) =>
          rotateMasterKey(
            {
              config: { masterKey: null, masterKeyFile: path },
              db,
              random: createRandom(),
              now: app.clock.now,
              settle,
            },
            last,
          ),
        );
      try {
        const key = await readFile(keyFile, 'utf8');
        const elsewhere = `${keyFile}.elsewhere`;
        await assert.rejects(rotate(elsewhere, 'new key alone'), /The master key is missing: /);
        await writeFile(elsewhere, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
        await assert.rejects(rotate(elsewhere, 'new key alone'), /does not belong to this database/);
        await writeFile(elsewhere, key, { mode: 0o600 });
        await rotate(keyFile, 'key for new files');
        await assert.rejects(rotate(elsewhere, 'new key alone'), /Another machine is changing the master key/);
        assert.equal(await readFile(elsewhere, 'utf8'), key);
        // After ten minutes the other run counts as stopped.
        app.clock.advance(599_999);
        await assert.rejects(rotate(elsewhere, 'both keys in the file'), /Another machine is changing/);
        app.clock.advance(1);
        await rotate(elsewhere, 'both keys in the file');
        await writeFile(elsewhere, key);
        const begun = await readFile(keyFile, 'utf8');
        // While the first one waits: a second run, and a file that was restored.
        await assert.rejects(
          rotate(keyFile, 'new key alone', async () => {
            await assert.rejects(rotate(keyFile, 'new key alone'), /Another key rotate is running over /);
            await writeFile(keyFile, key);
          }),
          /changed elsewhere in the meantime/,
        );
        await app.restart();
        await writeFile(keyFile, begun);
        await rotate(keyFile, 'new key alone');
        await assert.rejects(rotate(elsewhere, 'new key alone'), /changed on another machine, copy the key file/);
      } finally {
        await app.close();
      }
    });
  });
}
